#include <ome/core/duration.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace ome::core {
namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr auto least = std::numeric_limits<std::int64_t>::min();

void expect_reads_as(std::string_view text, std::int64_t nanoseconds) {
    const auto found = parse_duration(text);
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_EQ(found->count(), nanoseconds) << text;
}

TEST(ParseDuration, AddsUpTermsOfEveryUnit) {
    expect_reads_as("1h2m3s4ms5us6ns", 3'723'004'005'006);
    expect_reads_as("1\u00b5s", 1'000);
    expect_reads_as("1\u03bcs", 1'000);
    expect_reads_as("3s1h", 3'603'000'000'000);
}

TEST(ParseDuration, TakesDigitsOnEitherSideOfThePoint) {
    expect_reads_as(".5s", 500'000'000);
    expect_reads_as("1.s", 1'000'000'000);
    expect_reads_as("-.5s", -500'000'000);
    EXPECT_EQ(parse_duration(".s"), std::nullopt);
    EXPECT_EQ(parse_duration("-.s"), std::nullopt);
}

TEST(ParseDuration, CutsBelowANanosecond) {
    expect_reads_as("0.9999999999s", 999'999'999);
    expect_reads_as("0.9ns", 0);
    expect_reads_as("0.33333333333333333333333333s", 333'333'333);
    expect_reads_as("0.3333333333333333333h", 1'200'000'000'000);
    expect_reads_as("0.100000000000000000000h", 360'000'000'000);
}

TEST(ParseDuration, TakesZeroWithoutAUnitAndNothingElse) {
    expect_reads_as("0", 0);
    expect_reads_as("-0", 0);
    expect_reads_as("+0", 0);
    EXPECT_EQ(parse_duration("00"), std::nullopt);
    EXPECT_EQ(parse_duration("10"), std::nullopt);
    EXPECT_EQ(parse_duration("1s5"), std::nullopt);
}

TEST(ParseDuration, RefusesWhatIsNone) {
    for (const std::string_view text :
         {"",    "-",    "+",    "s",     "--1s",   "+-1s",  "1 m", " 1s",    "1s ",  "1d",  "1w",
          "30S", "1e3s", "1,5s", "1..5s", "1.5.5s", "1s-1s", "1S",  "1\xb5s", "0x1s", "1s\n"}) {
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
    }
}

TEST(ParseDuration, ReachesBothEndsOfTheRangeAndNoFurther) {
    expect_reads_as("9223372036854775807ns", most);
    expect_reads_as("2562047h47m16.854775807s", most);
    expect_reads_as("-9223372036854775808ns", least);
    expect_reads_as("-2562047h47m16.854775808s", least);
    expect_reads_as("-9223372036854775.808us", least);
    EXPECT_EQ(parse_duration("9223372036854775808ns"), std::nullopt);
    EXPECT_EQ(parse_duration("-9223372036854775809ns"), std::nullopt);
    EXPECT_EQ(parse_duration("2562047h47m16.854775808s"), std::nullopt);
    EXPECT_EQ(parse_duration("3000000h"), std::nullopt);
    EXPECT_EQ(parse_duration("18446744073709551617ns"), std::nullopt);
    EXPECT_EQ(parse_duration("99999999999999999999999h"), std::nullopt);
}

TEST(FormatDuration, PicksTheLargestUnitThatKeepsOneWholePartBelowASecond) {
    EXPECT_EQ(format_duration(Duration(0)), "0s");
    EXPECT_EQ(format_duration(Duration(999)), "999ns");
    EXPECT_EQ(format_duration(Duration(1'000)), "1\u00b5s");
    EXPECT_EQ(format_duration(Duration(1'100)), "1.1\u00b5s");
    EXPECT_EQ(format_duration(Duration(999'999)), "999.999\u00b5s");
    EXPECT_EQ(format_duration(Duration(2'200'000)), "2.2ms");
    EXPECT_EQ(format_duration(Duration(999'999'999)), "999.999999ms");
}

TEST(FormatDuration, ShowsMinutesWithHoursAndSecondsAlways) {
    EXPECT_EQ(format_duration(std::chrono::seconds(1)), "1s");
    EXPECT_EQ(format_duration(std::chrono::seconds(60)), "1m0s");
    EXPECT_EQ(format_duration(std::chrono::hours(36)), "36h0m0s");
    EXPECT_EQ(format_duration(std::chrono::milliseconds(60'001)), "1m0.001s");
    EXPECT_EQ(format_duration(-std::chrono::milliseconds(1'500)), "-1.5s");
}

TEST(FormatDuration, WritesBothEndsOfTheRange) {
    EXPECT_EQ(format_duration(Duration(most)), "2562047h47m16.854775807s");
    EXPECT_EQ(format_duration(Duration(least)), "-2562047h47m16.854775808s");
}

TEST(FormatDuration, IsReadBackToTheSameValue) {
    std::mt19937_64 random(20260928);
    for (int i = 0; i < 20'000; ++i) {
        // Shifted, so that every magnitude gets its share.
        const auto nanos = static_cast<std::int64_t>(random()) >> (random() % 64);
        const std::string text = format_duration(Duration(nanos));
        ASSERT_EQ(parse_duration(text), Duration(nanos)) << text;
    }
}

}  // namespace
}  // namespace ome::core
