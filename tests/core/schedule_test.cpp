#include <ome/core/schedule.hpp>

#include <gtest/gtest.h>
#include <support/fake_clock.hpp>

#include <array>
#include <string>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime start{1h};

TEST(Schedule, IsDueAtOnceThenSpreadThenEveryPeriod) {
    Schedule schedule = Schedule::spread(start, 4s, 10s);
    EXPECT_TRUE(schedule.first());
    EXPECT_EQ(schedule.due(), start);
    schedule.advance(start);
    EXPECT_FALSE(schedule.first());
    EXPECT_EQ(schedule.due(), start + 4s);
    schedule.advance(start + 4s + 3ms);
    EXPECT_EQ(schedule.due(), start + 14s);
}

TEST(Schedule, SkipsMissedSlotsAndKeepsThePhase) {
    Schedule schedule = Schedule::steady(start, 10s);
    schedule.advance(start + 10s - 1ns);
    EXPECT_EQ(schedule.due(), start + 10s);
    schedule.advance(start + 35s);
    EXPECT_EQ(schedule.due(), start + 40s);
    schedule.advance(start + 60s);  // late by whole periods: strictly after now
    EXPECT_EQ(schedule.due(), start + 70s);
}

TEST(Schedule, AFirstAttemptTakenLateKeepsThePhaseOfTheSecond) {
    Schedule schedule = Schedule::spread(start, 4s, 10s);
    schedule.advance(start + 30s);
    EXPECT_EQ(schedule.due(), start + 34s);
    schedule = Schedule::spread(start, 4s, 10s);
    schedule.advance(start + 4s);
    EXPECT_EQ(schedule.due(), start + 14s);
}

TEST(Schedule, APeriodAsLongAsTheClockDoesNotOverflow) {
    Schedule schedule = Schedule::steady(start, Duration::max());
    schedule.advance(start);
    EXPECT_EQ(schedule.due(), SteadyTime::max());
    EXPECT_EQ(spread_offset(1s, Duration::max(), Duration::max().count() - 1), Duration::max());
}

TEST(Schedule, ARestoredProbeKeepsItsRhythm) {
    const test::FakeClock clock;
    const auto due = [&](Duration ago) {
        return *restored_due(clock.wall() + -ago, 10s, clock.now()) - clock.steady();
    };
    EXPECT_EQ(due(0s), 10s);
    EXPECT_EQ(due(10s - 1ns), 1ns);
    EXPECT_EQ(due(10s), 0s);
    EXPECT_EQ(due(34s), -4s);
}

TEST(Schedule, ARestoredProbeWithoutAUsableTimeIsDueAtOnce) {
    const test::FakeClock clock;
    EXPECT_EQ(restored_due(std::nullopt, 10s, clock.now()), std::nullopt);
    EXPECT_EQ(restored_due(clock.wall() + 1ns, 10s, clock.now()), std::nullopt);
    EXPECT_NE(restored_due(clock.wall(), 10s, clock.now()), std::nullopt);
    EXPECT_NE(restored_due(WallTime{-62'000'000'000, 0}, 10s, clock.now()), std::nullopt);
}

TEST(IdentityHash, IsTheSameForEverAndKnowsWhereAPartEnds) {
    EXPECT_EQ(identity_hash({"uid", "prod", "llama"}), identity_hash({"uid", "prod", "llama"}));
    EXPECT_NE(identity_hash({"ab", "c"}), identity_hash({"a", "bc"}));
    EXPECT_NE(identity_hash({"a", ""}), identity_hash({"a"}));
    EXPECT_EQ(identity_hash({"prod", "llama"}), 13759391589508594497u);
}

// 10,000 clusters that differ in a digit, in 100 slices of a 10 s period: 100 expected in each, and
// a standard deviation of 10.
TEST(IdentityHash, SpreadsSimilarNamesEvenly) {
    for (const std::string prefix : {"worker-", "prod-eu-west-1-cluster-", ""}) {
        std::array<int, 100> slices{};
        for (int number = 0; number < 10'000; ++number) {
            const std::string cluster = prefix + std::to_string(number);
            const Duration offset =
                spread_offset(0s, 10s, identity_hash({"uid", "ns", "svc", cluster, "poll"}));
            ++slices[static_cast<std::size_t>(offset / 100ms)];
        }
        for (const int homes : slices) {
            EXPECT_GT(homes, 50);
            EXPECT_LT(homes, 150);
        }
    }
}

TEST(SpreadOffset, IsAtLeastTheMinimumAndLessThanAPeriodMore) {
    EXPECT_EQ(spread_offset(1s, 10s, 0), 1s);
    EXPECT_EQ(spread_offset(1s, 10s, 9'999'999'999), 11s - 1ns);
    EXPECT_EQ(spread_offset(1s, 10s, 10'000'000'000), 1s);
}

}  // namespace
}  // namespace ome::core
