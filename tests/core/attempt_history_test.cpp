#include <ome/core/attempt_history.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

AttemptRecord record(std::int32_t status, WallTime at = {1000, 250'000'000}) {
    return {at, Kind::Probe, AttemptResult::Passing, status, {1ms, 2ms, 3ms, 4ms, 10ms}};
}

TEST(AttemptHistory, GivesBackWhatItWasToldTheNewestFirst) {
    AttemptHistory history;
    history.add(record(200));
    history.add(record(204));
    const auto records = history.newest_first(Kind::Probe);
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].status, 204);
    EXPECT_EQ(records[1].status, 200);
    EXPECT_EQ(records[1].at, (WallTime{1000, 250'000'000}));
    EXPECT_EQ(records[1].kind, Kind::Probe);
    EXPECT_EQ(records[1].result, AttemptResult::Passing);
    EXPECT_EQ(records[1].phases.dns, 1ms);
    EXPECT_EQ(records[1].phases.connect, 2ms);
    EXPECT_EQ(records[1].phases.tls, 3ms);
    EXPECT_EQ(records[1].phases.first_byte, 4ms);
    EXPECT_EQ(records[1].phases.total, 10ms);
}

TEST(AttemptHistory, TheOldestMakesRoom) {
    AttemptHistory history;
    for (std::int32_t status = 100; status < 125; ++status) {
        history.add(record(status));
    }
    const auto records = history.newest_first(Kind::Poll);
    ASSERT_EQ(records.size(), AttemptHistory::capacity);
    EXPECT_EQ(records.front().status, 124);
    EXPECT_EQ(records.back().status, 115);
}

TEST(AttemptHistory, AnAttemptWithoutAnAnswerHasNoStatus) {
    AttemptHistory history;
    AttemptRecord unanswered = record(0);
    unanswered.status.reset();
    unanswered.phases = {};
    unanswered.phases.total = 10000h;  // more than it can hold
    history.add(unanswered);
    const auto records = history.newest_first(Kind::Poll);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_FALSE(records[0].status);
    EXPECT_GT(records[0].phases.total, 1h);
}

TEST(AttemptHistory, KeepsTimesBefore1970) {
    AttemptHistory history;
    history.add(record(200, WallTime{-2, 500'000'000}));
    EXPECT_EQ(history.newest_first(Kind::Poll)[0].at, (WallTime{-2, 500'000'000}));
}

TEST(AttemptHistory, StaysSmallSinceThereAreTwoAHome) {
    EXPECT_LE(sizeof(AttemptHistory), 336U);
}

}  // namespace
}  // namespace ome::core
