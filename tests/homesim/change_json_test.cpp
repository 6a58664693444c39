#include "change_json.hpp"

#include <gtest/gtest.h>

namespace ome::homesim {
namespace {

using namespace std::chrono_literals;

std::string problem_of(std::string_view text) {
    const auto result = script_from_text(text);
    return result ? "none" : result.error().message;
}

TEST(Script, IsOrderedByTime) {
    const auto script = script_from_text(
        R"([{"at":"2s","homes":"a*","percent":50,"poll":{}},{"probe":{"gone":true}}])");
    ASSERT_TRUE(script);
    EXPECT_EQ((*script)[0].at, 0s);
    EXPECT_EQ((*script)[0].selection.pattern, "*");
    EXPECT_EQ((*script)[0].change.poll, nullptr);
    EXPECT_EQ((*script)[0].change.probe->steps[0].status, 404);
    EXPECT_EQ((*script)[1].at, 2s);
    EXPECT_EQ((*script)[1].selection.pattern, "a*");
    EXPECT_EQ((*script)[1].selection.percent, 50);
}

TEST(Script, SaysWhichChangeIsWrongAndWhy) {
    EXPECT_EQ(problem_of("{}"), "the script must be a list of changes");
    EXPECT_EQ(problem_of(R"([{"poll":{}},{"at":"-1s","poll":{}}])"),
              "[1]: at (\"-1s\") must not be negative");
    EXPECT_EQ(problem_of(R"([{"percent":100.5,"poll":{}}])"),
              "[0]: percent (1.005E2) must be a number from 0 to 100");
    EXPECT_EQ(problem_of(R"([{"at":"1s"}])"),
              "[0]: neither poll, probe nor accept is there: nothing would change");
    EXPECT_EQ(problem_of(R"([{"home":"a","poll":{}}])"),
              "[0]: home (\"a\") is not a member of a change; did you mean homes?");
    EXPECT_EQ(problem_of(R"([{"poll":{},"poll":{}}])"),
              "[0].poll is there twice ({...} and {...}); a member stands once in an object");
    EXPECT_TRUE(problem_of("[").starts_with("not JSON: "));
}

}  // namespace
}  // namespace ome::homesim
