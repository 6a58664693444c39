#include "svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ome::observer::svg {
namespace {

std::vector<std::string> labels(core::WallTime from, core::WallTime to, std::size_t most = 8) {
    std::vector<std::string> found;
    for (const TimeTick& tick : time_ticks(from, to, most)) {
        found.push_back(tick.label);
    }
    return found;
}

constexpr std::int64_t ten = 1'790'589'600;  // 2026-09-28T10:00:00Z

TEST(Svg, ForeignTextIsTextAndNothingElse) {
    EXPECT_EQ(escape(R"(<script>"a"&'b'</script>)"),
              "&lt;script&gt;&quot;a&quot;&amp;&#39;b&#39;&lt;/script&gt;");
    EXPECT_EQ(escape("a\x01\x1b[31mb\n"), "a b");
    EXPECT_EQ(escape("\xff"), "\xef\xbf\xbd");
    EXPECT_EQ(escape(std::string(500, '<'), 3), "&lt;&lt;\xe2\x80\xa6");
}

TEST(Svg, NumbersAreShort) {
    EXPECT_EQ(number(12), "12");
    EXPECT_EQ(number(12.54), "12.5");
    EXPECT_EQ(number(-0.01), "0");
}

TEST(Svg, AStepLineGoesAcrossAndThenUp) {
    StepLine line;
    line.to(10, 5);
    line.to(20, 5);
    line.to(30, 9);
    EXPECT_EQ(line.end(40), "M10 5H30V9H40");
}

TEST(Svg, AStepLineHasGaps) {
    StepLine line;
    line.to(0, std::nullopt);
    line.to(10, 5);
    line.to(20, std::nullopt);
    line.to(30, 7);
    EXPECT_EQ(line.end(40), "M10 5H20M30 7H40");
    EXPECT_EQ(StepLine().end(40), "");
}

TEST(Svg, AnAreaEndsAtItsGround) {
    StepLine line;
    line.to(10, 5);
    EXPECT_EQ(line.end_above(40, 100), "M10 5H40V100H10Z");
    EXPECT_EQ(StepLine().end_above(40, 100), "");
}

TEST(Svg, AStepLineOfManyPointsStaysShortAndLosesNoDrop) {
    StepLine line;
    constexpr int points = 1'000'000;
    for (int i = 0; i < points; ++i) {
        line.to(i * 100.0 / points, i == 555'555 ? 90 : 10 + i % 2);
    }
    const std::string path = line.end(100);
    EXPECT_LT(path.size(), 10'000U);
    EXPECT_NE(path.find("V90"), path.npos);
}

TEST(Svg, AStepLineOfManyGapsStaysShort) {
    StepLine line;
    constexpr int points = 1'000'000;
    for (int i = 0; i < points; ++i) {
        line.to(i * 100.0 / points, i % 2 == 0 ? std::optional(10.0) : std::nullopt);
    }
    EXPECT_LT(line.end(100).size(), 10'000U);
}

TEST(Svg, WhereALineIsAtTheEndOfAPixelItGoesOn) {
    StepLine line;
    line.to(10.0, 5);
    line.to(10.1, 9);
    line.to(10.2, 7);
    EXPECT_EQ(line.end(20), "M10 5V9V7H20");
}

TEST(Svg, TimesAreRound) {
    EXPECT_EQ(labels({ten + 3, 0}, {ten + 42, 0}),
              (std::vector<std::string>{"10:00:05",
                                        "10:00:10",
                                        "10:00:15",
                                        "10:00:20",
                                        "10:00:25",
                                        "10:00:30",
                                        "10:00:35",
                                        "10:00:40"}));
    EXPECT_EQ(labels({ten, 0}, {ten + 3600, 0}, 4),
              (std::vector<std::string>{"10:00", "10:15", "10:30", "10:45", "11:00"}));
    EXPECT_EQ(labels({ten, 0}, {ten + 2 * 86400, 0}, 3),
              (std::vector<std::string>{"2026-09-29", "2026-09-30"}));
    EXPECT_EQ(labels({ten, 0}, {ten + 86400, 0}, 3),
              (std::vector<std::string>{"09-28 12:00", "09-29 00:00"}));
}

TEST(Svg, ASingleInstantHasATime) {
    EXPECT_EQ(labels({ten, 0}, {ten, 0}), std::vector<std::string>{"10:00:00"});
}

TEST(Svg, CenturiesAndNothingHaveFewTimes) {
    EXPECT_LE(labels({-62'135'596'800, 0}, {253'402'300'799, 0}).size(), 12U);
    EXPECT_LE(labels({ten, 999}, {ten, 999}).size(), 1U);
}

TEST(Svg, CountsAreRound) {
    EXPECT_EQ(count_ticks(0), std::vector<std::int32_t>{0});
    EXPECT_EQ(count_ticks(4), (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(count_ticks(17), (std::vector<std::int32_t>{0, 5, 10, 15}));
    EXPECT_LE(count_ticks(2'147'483'647).size(), 6U);
}

}  // namespace
}  // namespace ome::observer::svg
