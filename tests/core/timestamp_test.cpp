#include <ome/core/timestamp.hpp>

#include <gtest/gtest.h>

#include <random>

namespace ome::core {
namespace {

constexpr std::int64_t base = 1'790'589'600;  // 2026-09-28T10:00:00Z

TEST(ParseTimestamp, ReadsUtcAndOffsets) {
    EXPECT_EQ(parse_timestamp("2026-09-28T10:00:00Z"), (WallTime{base, 0}));
    EXPECT_EQ(parse_timestamp("2026-09-28T12:00:00+02:00"), (WallTime{base, 0}));
    EXPECT_EQ(parse_timestamp("2026-09-28T04:30:00-05:30"), (WallTime{base, 0}));
    EXPECT_EQ(parse_timestamp("2026-09-28T10:00:00-00:00"), (WallTime{base, 0}));
    EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00Z"), (WallTime{0, 0}));
}

TEST(ParseTimestamp, CutsAFractionOfAnyLengthToNanoseconds) {
    EXPECT_EQ(parse_timestamp("2026-09-28T10:00:00.5Z"), (WallTime{base, 500'000'000}));
    EXPECT_EQ(parse_timestamp("2026-09-28T10:00:00.123456789999Z"), (WallTime{base, 123'456'789}));
    const std::string long_fraction(5'000, '9');
    EXPECT_EQ(parse_timestamp("2026-09-28T10:00:00." + long_fraction + "Z"),
              (WallTime{base, 999'999'999}));
    EXPECT_EQ(parse_timestamp("2026-09-28T10:00:00.Z"), std::nullopt);
    EXPECT_EQ(parse_timestamp("2026-09-28T10:00:00,5Z"), std::nullopt);
}

TEST(ParseTimestamp, CountsForwardFromTheSecondBeforeTheEpoch) {
    EXPECT_EQ(parse_timestamp("1969-12-31T23:59:59.9Z"), (WallTime{-1, 900'000'000}));
}

TEST(ParseTimestamp, KnowsTheZeroInstantInEverySpelling) {
    EXPECT_EQ(parse_timestamp("0001-01-01T00:00:00Z"), zero_instant);
    EXPECT_EQ(parse_timestamp("0001-01-01T01:30:00.0+01:30"), zero_instant);
    EXPECT_EQ(parse_timestamp("0000-12-31T23:00:00-01:00"), zero_instant);
    EXPECT_NE(parse_timestamp("0001-01-01T00:00:00.000000001Z"), zero_instant);
}

TEST(ParseTimestamp, ReadsYearsFrom0To9999) {
    EXPECT_EQ(parse_timestamp("0000-01-01T00:00:00Z"), (WallTime{-62'167'219'200, 0}));
    EXPECT_EQ(parse_timestamp("9999-12-31T23:59:59Z"), (WallTime{253'402'300'799, 0}));
    EXPECT_EQ(parse_timestamp("10000-01-01T00:00:00Z"), std::nullopt);
    EXPECT_EQ(parse_timestamp("-001-01-01T00:00:00Z"), std::nullopt);
}

TEST(ParseTimestamp, RefusesAnOffsetThatLeadsOutOfTheYearsThatCanBeWritten) {
    EXPECT_EQ(parse_timestamp("9999-12-31T23:59:59-23:59"), std::nullopt);
    EXPECT_EQ(parse_timestamp("9999-12-31T23:59:59.9-00:01"), std::nullopt);
    EXPECT_EQ(parse_timestamp("0000-01-01T00:00:00+00:01"), std::nullopt);
    EXPECT_EQ(parse_timestamp("9999-12-31T23:59:59.999999999+00:00"),
              (WallTime{253'402'300'799, 999'999'999}));
    EXPECT_EQ(parse_timestamp("9999-12-31T00:00:00-23:59"), (WallTime{253'402'300'740, 0}));
    EXPECT_EQ(parse_timestamp("0000-01-01T00:01:00+00:01"), (WallTime{-62'167'219'200, 0}));
}

TEST(FormatTimestamp, WritesWhatLiesBeyondTheYearsAsTheirEnd) {
    const WallTime year_10000{253'402'300'800, 0};
    EXPECT_EQ(format_timestamp(year_10000), "9999-12-31T23:59:59.999999999Z");
    EXPECT_EQ(format_timestamp(year_10000 + Duration::max()), "9999-12-31T23:59:59.999999999Z");
    EXPECT_EQ(format_timestamp({-62'167'219'201, 0}), "0000-01-01T00:00:00.000Z");
}

TEST(ParseTimestamp, StopsAtEachBoundary) {
    for (const std::string_view good : {"2026-09-28T23:59:59Z",
                                        "2024-02-29T10:00:00Z",
                                        "2000-02-29T10:00:00Z",
                                        "2026-09-28T10:00:00+23:59",
                                        "2026-12-31T10:00:00Z"}) {
        EXPECT_NE(parse_timestamp(good), std::nullopt) << good;
    }
    for (const std::string_view bad : {"2026-09-28T24:00:00Z",
                                       "2026-09-28T10:60:00Z",
                                       "2026-09-28T10:00:60Z",
                                       "2026-02-29T10:00:00Z",
                                       "1900-02-29T10:00:00Z",
                                       "2026-04-31T10:00:00Z",
                                       "2026-00-10T10:00:00Z",
                                       "2026-13-10T10:00:00Z",
                                       "2026-09-00T10:00:00Z",
                                       "2026-09-28T10:00:00+24:00",
                                       "2026-09-28T10:00:00+02:60"}) {
        EXPECT_EQ(parse_timestamp(bad), std::nullopt) << bad;
    }
}

TEST(ParseTimestamp, RefusesEveryOtherSpelling) {
    for (const std::string_view bad : {"",
                                       "2026-09-28",
                                       "2026-09-28T10:00:00",
                                       "2026-09-28 10:00:00Z",
                                       "2026-09-28t10:00:00Z",
                                       "2026-09-28T10:00:00z",
                                       "2026-09-28T9:59:59Z",
                                       "2026-9-28T10:00:00Z",
                                       "2026-09-28T10:00Z",
                                       "2026-09-28T10:00:00+0200",
                                       "2026-09-28T10:00:00+02",
                                       "2026-09-28T10:00:00Z ",
                                       " 2026-09-28T10:00:00Z",
                                       "2026-09-28T10:00:00Z+02:00",
                                       "2026-09-28T10:00:+5Z",
                                       "1790589600"}) {
        EXPECT_EQ(parse_timestamp(bad), std::nullopt) << bad;
    }
}

TEST(FormatTimestamp, ShowsMillisecondsOrAsManyDigitsAsItTakes) {
    EXPECT_EQ(format_timestamp({base, 0}), "2026-09-28T10:00:00.000Z");
    EXPECT_EQ(format_timestamp({base, 120'000'000}), "2026-09-28T10:00:00.120Z");
    EXPECT_EQ(format_timestamp({base, 120'000}), "2026-09-28T10:00:00.000120Z");
    EXPECT_EQ(format_timestamp({base, 1}), "2026-09-28T10:00:00.000000001Z");
    EXPECT_EQ(format_timestamp({-1, 0}), "1969-12-31T23:59:59.000Z");
    EXPECT_EQ(format_timestamp(zero_instant), "0001-01-01T00:00:00.000Z");
}

TEST(FormatTimestamp, IsReadBackToTheSameInstant) {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::int64_t> seconds(-62'167'219'200, 253'402'300'799);
    std::uniform_int_distribution<std::int32_t> nanos(0, 999'999'999);
    for (int i = 0; i < 5'000; ++i) {
        const WallTime at{seconds(random), nanos(random)};
        ASSERT_EQ(parse_timestamp(format_timestamp(at)), at) << format_timestamp(at);
    }
}

}  // namespace
}  // namespace ome::core
