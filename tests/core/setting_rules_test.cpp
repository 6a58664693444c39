#include <ome/core/setting_rules.hpp>

#include <gtest/gtest.h>

namespace ome::core::setting_rules {
namespace {

using namespace std::chrono_literals;

TEST(SettingRules, TakeWholeNumbersWithinTheirBounds) {
    std::int64_t out = 7;
    EXPECT_FALSE(number({"1"}, 1, 64, out));
    EXPECT_EQ(out, 1);
    EXPECT_FALSE(number({"64"}, 1, 64, out));
    EXPECT_EQ(out, 64);
    for (const char* const text : {"0", "65", "", "1.5", "1 ", "+1", "x", "99999999999999999999"}) {
        EXPECT_EQ(number({text}, 1, 64, out), "must be a whole number from 1 to 64") << text;
        EXPECT_EQ(out, 64) << "what is wrong changes nothing";
    }
    EXPECT_EQ(to_number("-3"), -3);
    EXPECT_EQ(to_number("3s"), std::nullopt);
}

TEST(SettingRules, TakeDurationsWithinTheirBounds) {
    Duration out{};
    EXPECT_FALSE(duration({"1s"}, 1s, 1min, out));
    EXPECT_EQ(out, 1s);
    for (const char* const text : {"999ms", "61s", "10", "", "soon"}) {
        EXPECT_EQ(duration({text}, 1s, 1min, out),
                  "must be a duration such as 500ms, 30s or 5m, from 1s to 1m0s")
            << text;
        EXPECT_EQ(out, 1s);
    }
}

TEST(SettingRules, TakeZeroForOffWhereItMeansThat) {
    Duration out = 1h;
    EXPECT_FALSE(duration_or_off({"0s"}, 1s, out));
    EXPECT_EQ(out, 0s);
    EXPECT_FALSE(duration_or_off({"1s"}, 1s, out));
    EXPECT_EQ(out, 1s);
    const Broken broken = duration_or_off({"1ms"}, 1s, out);
    ASSERT_TRUE(broken);
    EXPECT_TRUE(broken->ends_with(", or 0s for never")) << *broken;
}

TEST(SettingRules, TakeTwoWordsForTruth) {
    bool out = false;
    EXPECT_FALSE(truth({"true"}, out));
    EXPECT_TRUE(out);
    EXPECT_EQ(truth({"yes"}, out), "must be true or false");
    EXPECT_TRUE(out);
    EXPECT_FALSE(truth({"false"}, out));
    EXPECT_FALSE(out);
}

TEST(SettingRules, TakeOneOfTheChoices) {
    std::size_t out = 9;
    EXPECT_FALSE(choice({"json"}, {"text", "json"}, out));
    EXPECT_EQ(out, 1U);
    EXPECT_EQ(choice({"JSON"}, {"text", "json"}, out), "must be one of text, json");
    EXPECT_EQ(out, 1U);
}

}  // namespace
}  // namespace ome::core::setting_rules
