#include <ome/core/attempt_history.hpp>

#include <gtest/gtest.h>

#include <limits>

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

AttemptRecord failure(Fault fault, std::string reason) {
    AttemptRecord failed = record(0);
    failed.result = AttemptResult::Failing;
    failed.status.reset();
    failed.fault = fault;
    failed.reason = std::move(reason);
    return failed;
}

TEST(AttemptHistory, TellsHowFarAnAttemptCameAndWhy) {
    AttemptHistory history;
    AttemptRecord answered = record(503);
    answered.reason = "HTTP 503";
    history.add(answered);
    history.add(record(200));
    history.add(failure(Fault::Unreachable, "transport error: connection refused"));
    history.add(failure(Fault::Refused, "probe could not run: address refused by policy"));
    const auto records = history.newest_first(Kind::Probe);
    ASSERT_EQ(records.size(), 4U);
    EXPECT_EQ(records[0].fault, Fault::Refused);
    EXPECT_EQ(records[0].reason, "probe could not run: address refused by policy");
    EXPECT_EQ(records[1].fault, Fault::Unreachable);
    EXPECT_EQ(records[1].reason, "transport error: connection refused");
    EXPECT_EQ(records[2].fault, Fault::None);
    EXPECT_EQ(records[2].reason, "");
    EXPECT_EQ(records[3].reason, "HTTP 503");
}

TEST(AttemptHistory, EveryAttemptKeepsItsOwnReasonHoweverOftenPlacesAreUsedAgain) {
    AttemptHistory history;
    std::vector<std::string> told;
    for (int i = 0; i < 200; ++i) {
        told.push_back(i % 3 == 0 ? "the same" : "reason " + std::to_string(i % 37));
        history.add(failure(Fault::Body, told.back()));
        const auto records = history.newest_first(Kind::Poll);
        for (std::size_t back = 0; back < records.size(); ++back) {
            ASSERT_EQ(records[back].reason, told[told.size() - 1 - back]) << i;
        }
    }
}

TEST(AttemptHistory, ALongReasonIsCutWithAMark) {
    AttemptHistory history;
    history.add(failure(Fault::Unreachable, std::string(AttemptHistory::longest_reason, 'x')));
    history.add(failure(Fault::Unreachable, std::string(5000, 'y')));
    const auto records = history.newest_first(Kind::Poll);
    EXPECT_EQ(records[1].reason, std::string(AttemptHistory::longest_reason, 'x'));
    EXPECT_EQ(records[0].reason, std::string(AttemptHistory::longest_reason - 3, 'y') + "\u2026");
}

AttemptRecord change(std::int32_t status, AttemptChange what) {
    AttemptRecord changed = record(status);
    changed.change = what;
    changed.reason = "reason " + std::to_string(status);
    return changed;
}

TEST(AttemptHistory, KeepsWhatChangedTheHomeWhenTheOthersHaveMadeRoom) {
    AttemptHistory history;
    history.add(change(501, AttemptChange::GateClosed));
    for (std::int32_t status = 100; status < 200; ++status) {
        history.add(record(status));
        history.add(failure(Fault::Body, "reason " + std::to_string(status)));
    }
    const auto records = history.newest_first(Kind::Probe);
    ASSERT_EQ(records.size(), AttemptHistory::capacity + 1);
    EXPECT_EQ(records[0].reason, "reason 199");
    EXPECT_EQ(records[0].change, AttemptChange::None);
    EXPECT_EQ(records.back().status, 501);
    EXPECT_EQ(records.back().reason, "reason 501");
    EXPECT_EQ(records.back().change, AttemptChange::GateClosed);
}

TEST(AttemptHistory, OfChangesTooTheOldestMakesRoom) {
    AttemptHistory history;
    for (std::int32_t status = 100; status < 300; ++status) {
        history.add(change(status, AttemptChange::CeilingMoved));
        const auto records = history.newest_first(Kind::Poll);
        ASSERT_LE(records.size(), AttemptHistory::capacity + AttemptHistory::most_changes);
        for (std::size_t back = 0; back < records.size(); ++back) {
            const auto expected = status - static_cast<std::int32_t>(back);
            ASSERT_EQ(records[back].status, expected);
            ASSERT_EQ(records[back].reason, "reason " + std::to_string(expected));
        }
    }
    EXPECT_EQ(history.newest_first(Kind::Poll).size(),
              AttemptHistory::capacity + AttemptHistory::most_changes);
}

TEST(AttemptHistory, KeepsWhatPollsReportedAndTheCeilingAfterThem) {
    AttemptHistory history;
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const std::vector<std::pair<std::optional<std::int32_t>, std::optional<std::int32_t>>> told{
        {0, 0}, {127, 128}, {std::nullopt, 3}, {5, std::nullopt}, {most, most}, {{}, {}}};
    for (const auto& [servable, ceiling] : told) {
        AttemptRecord poll = record(200);
        poll.servable = servable;
        poll.ceiling = ceiling;
        history.add(poll);
    }
    const auto records = history.newest_first(Kind::Poll);
    ASSERT_EQ(records.size(), told.size());
    for (std::size_t back = 0; back < told.size(); ++back) {
        const auto& [servable, ceiling] = told[told.size() - 1 - back];
        EXPECT_EQ(records[back].servable, servable) << back;
        EXPECT_EQ(records[back].ceiling, ceiling) << back;
        EXPECT_EQ(records[back].phases.total, 10ms) << back;
    }
}

TEST(AttemptHistory, StaysSmallSinceThereAreTwoAHome) {
    EXPECT_LE(sizeof(AttemptHistory), 40U);
}

}  // namespace
}  // namespace ome::core
