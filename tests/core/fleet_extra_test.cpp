#include "fleet_support.hpp"

namespace ome::core {
namespace {

using namespace std::chrono_literals;

class FleetExtra : public FleetTest {
protected:
    FleetExtra() {
        ServiceDeclaration service = some_service("llama", {"east", "west"});
        service.probe = some_probe();
        (void)declare(service);
        finish_all(status(200));
        clock.advance(11s);  // the second deadlines, spread over a period
        finish_all(status(200));
    }

    ExtraAttempts request() {
        const auto answer = fleet.request_attempts({"prod", "llama"}, clock.now());
        EXPECT_TRUE(answer);
        return answer.value_or(ExtraAttempts{});
    }

    std::vector<WallTime> next_times() {
        return {*home("llama", 0).probe->next_attempt_time,
                *home("llama", 1).probe->next_attempt_time};
    }
};

TEST_F(FleetExtra, OneAttemptMoreForEveryHomeAndTheRhythmStays) {
    const auto before = next_times();
    EXPECT_EQ(request().started, 2U);
    const auto taken = due();
    ASSERT_EQ(taken.size(), 2U);
    EXPECT_TRUE(taken[0].first) << "nothing that the schedule is late with";
    finish(taken[0], status(503));
    finish(taken[1], status(200));
    EXPECT_EQ(home().probe->consecutive_failures, 1) << "it counts like any other";
    EXPECT_EQ(next_times(), before);
}

TEST_F(FleetExtra, AtMostOncePerMinPeriodAndService) {
    EXPECT_EQ(request().started, 2U);
    finish_all(status(200));
    clock.advance(400ms);
    const ExtraAttempts again = request();
    EXPECT_EQ(again.started, 0U);
    EXPECT_EQ(again.retry_after, 600ms);
    clock.advance(600ms);
    EXPECT_EQ(request().retry_after, 0ns);
}

TEST_F(FleetExtra, WhatWaitsOrIsInFlightIsSkippedAndSaysSo) {
    EXPECT_EQ(request().started, 2U);
    const auto taken = fleet.take(clock.now());
    clock.advance(1s);
    const ExtraAttempts again = request();
    EXPECT_EQ(again.started, 0U);
    ASSERT_EQ(again.skipped.size(), 2U);
    EXPECT_EQ(again.skipped[0].cluster, "east");
    EXPECT_EQ(again.skipped[0].kind, Kind::Probe);
    EXPECT_EQ(again.skipped[0].reason, "an attempt is in flight");
    EXPECT_EQ(again.skipped[1].reason, "an attempt waits for its turn already");
}

// One in flight per home and kind, whatever the schedule says.
TEST_F(FleetExtra, ADeadlineThatPassesMeanwhileWaitsForTheEndAndIsNotLate) {
    EXPECT_EQ(request().started, 2U);
    const auto extra = due();
    ASSERT_EQ(extra.size(), 2U);
    clock.advance(11s);
    EXPECT_TRUE(due().empty());
    finish(extra[0], status(200));
    const Attempt regular = only();
    EXPECT_EQ(regular.slot, extra[0].slot);
    EXPECT_TRUE(regular.first) << "the wait was not the budget's fault";
    EXPECT_LT(regular.due, clock.steady());
}

TEST_F(FleetExtra, ADeadlineThatPassesWhileItWaitsTakesItsPlace) {
    EXPECT_EQ(request().started, 2U);
    const auto before = next_times();
    clock.advance(11s);
    const auto taken = due();
    EXPECT_EQ(taken.size(), 2U) << "not twice";
    EXPECT_FALSE(taken[0].first);
    EXPECT_GT(next_times()[0], before[0]);
}

TEST_F(FleetExtra, ACancelledOneIsNoResultAndIsNotTriedAgain) {
    const auto before = next_times();
    EXPECT_EQ(request().started, 2U);
    finish_all(fault(Fault::Cancelled));
    EXPECT_TRUE(due().empty());
    EXPECT_EQ(next_times(), before);
    EXPECT_EQ(home().probe->consecutive_failures, 0);
}

TEST_F(FleetExtra, ASuspendedServiceStartsNothingAndForgetsWhatWaited) {
    EXPECT_EQ(request().started, 2U);
    ServiceDeclaration suspended = some_service("llama", {});
    suspended.suspended = true;
    (void)declare(suspended);
    EXPECT_TRUE(due().empty());
    EXPECT_TRUE(request().suspended);
    ServiceDeclaration resumed = some_service("llama", {"east", "west"});
    resumed.probe = some_probe();
    (void)declare(resumed);
    EXPECT_TRUE(due().empty()) << "the phase is kept";
    clock.advance(11s);
    EXPECT_EQ(due().size(), 2U);
}

TEST_F(FleetExtra, AnEndpointThatCannotBeUsedIsSkipped) {
    ServiceDeclaration service = some_service("bad", {"east"});
    service.homes[0].endpoint = "nonsense";
    service.probe = some_probe();
    service.capacity = some_capacity();
    (void)declare(service);
    const auto answer = fleet.request_attempts({"prod", "bad"}, clock.now());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->started, 0U);
    ASSERT_EQ(answer->skipped.size(), 2U);
    EXPECT_EQ(answer->skipped[0].reason, "the endpoint cannot be used");
    EXPECT_EQ(answer->retry_after, 0ns);
}

TEST_F(FleetExtra, AServiceThatIsNotDeclaredHasNone) {
    EXPECT_FALSE(fleet.request_attempts({"prod", "other"}, clock.now()));
    EXPECT_FALSE(fleet.history({"prod", "other"}, {"", 0, 10}));
}

TEST_F(FleetExtra, HistoryShowsTheLastAttemptsOfEachHomeTheNewestFirst) {
    ServiceDeclaration service = some_service("llama", {"east", "west"});
    service.probe = some_probe();
    service.capacity = some_capacity();
    (void)declare(service);
    clock.advance(1s);
    for (const Attempt& attempt : due()) {
        AttemptOutcome outcome = servable(3);
        outcome.phases.total = 7ms;
        finish(attempt, outcome);
    }
    const auto history = fleet.history({"prod", "llama"}, {"", 0, 10});
    ASSERT_TRUE(history);
    ASSERT_EQ(history->size(), 2U);
    const HomeHistory& east = history->front();
    EXPECT_EQ(east.cluster, "east");
    ASSERT_GE(east.attempts.size(), 3U);
    EXPECT_EQ(east.attempts[0].kind, Kind::Poll);
    EXPECT_EQ(east.attempts[0].result, AttemptResult::Accepted);
    EXPECT_EQ(east.attempts[0].phases.total, 7ms);
    EXPECT_EQ(east.attempts[1].result, AttemptResult::Passing);
    EXPECT_GT(east.attempts[0].at, east.attempts[1].at);

    const auto west = fleet.history({"prod", "llama"}, {"west", 0, 10});
    ASSERT_EQ(west->size(), 1U);
    EXPECT_EQ(west->front().cluster, "west");
    EXPECT_EQ(fleet.history({"prod", "llama"}, {"", 1, 10})->size(), 1U);
    EXPECT_TRUE(fleet.history({"prod", "llama"}, {"", 2, 10})->empty());
}

// The words of the reading, whatever kept the attempt from being an answer.
TEST_F(FleetExtra, HistorySaysOfEveryAttemptWhyInTheWordsOfTheReading) {
    ServiceDeclaration service = some_service("llama", {"east"});
    service.probe = some_probe();
    service.capacity = some_capacity();
    AttemptOutcome cut_short = status(200);
    cut_short.fault = Fault::Body;
    cut_short.text = "unexpected EOF";
    AttemptOutcome no_report = status(200);
    no_report.report = std::string("capacity response is not a valid report: x");
    for (const AttemptOutcome& outcome : {fault(Fault::Unreachable, "connection refused"),
                                          fault(Fault::Refused, "address refused by policy"),
                                          fault(Fault::Deadline),
                                          cut_short,
                                          no_report,
                                          status(503),
                                          status(302)}) {
        (void)declare(service);
        clock.advance(20s);
        finish_all(outcome);
        const HomeReading reading = home();
        const auto history = fleet.history({"prod", "llama"}, {"", 0, 10});
        ASSERT_TRUE(history);
        ASSERT_GE(history->front().attempts.size(), 2U);
        for (std::size_t i = 0; i < 2; ++i) {
            const AttemptRecord& attempt = history->front().attempts[i];
            EXPECT_EQ(attempt.fault, outcome.fault);
            EXPECT_FALSE(attempt.reason.empty());
            EXPECT_EQ(attempt.reason,
                      attempt.kind == Kind::Poll ? reading.capacity->fallback_reason
                                                 : reading.probe->message);
        }
    }
}

TEST_F(FleetExtra, HistorySaysWhichAttemptChangedTheHomeAndKeepsIt) {
    ServiceDeclaration service = some_service("llama", {"east"});
    service.probe = some_probe();
    service.capacity = some_capacity();
    (void)declare(service);
    const auto round = [this](std::int32_t probe, std::int32_t servable_now) {
        for (const Attempt& attempt : due()) {
            const bool poll = attempt.plan->kind == Kind::Poll;
            finish(attempt, poll ? servable(servable_now) : status(probe));
        }
        clock.advance(10s);
    };
    round(200, 4);
    round(503, 4);
    round(503, 4);
    for (int i = 0; i < 30; ++i) {
        round(503, 4);
    }
    round(200, 3);
    round(200, 3);
    std::vector<std::string_view> changes;
    const auto history = fleet.history({"prod", "llama"}, {"", 0, 10});
    ASSERT_TRUE(history);
    for (const AttemptRecord& attempt : history->front().attempts) {
        if (attempt.change != AttemptChange::None) {
            changes.push_back(to_string(attempt.change));
            EXPECT_EQ(attempt.kind == Kind::Probe, changes.back().starts_with("gate"));
        }
    }
    EXPECT_EQ(changes,
              (std::vector<std::string_view>{
                  "gate-lifted", "ceiling-moved", "gate-closed", "ceiling-known"}));
}

TEST_F(FleetExtra, HistoryKeepsWhatPollsReportedAndTheCeilingThatCameOfIt) {
    ServiceDeclaration service = some_service("llama", {"east"});
    service.capacity = some_capacity();
    (void)declare(service);
    for (const std::int32_t said : {4, 4, 2}) {
        finish_all(servable(said));
        clock.advance(10s);
    }
    finish_all(status(503));
    const auto history = fleet.history({"prod", "llama"}, {"", 0, 10});
    ASSERT_TRUE(history);
    const std::vector<AttemptRecord>& attempts = history->front().attempts;
    ASSERT_EQ(attempts.size(), 4U);
    EXPECT_FALSE(attempts[0].servable) << "a failed poll reports nothing";
    EXPECT_EQ(attempts[0].ceiling, home().capacity->ceiling);
    EXPECT_EQ(attempts[1].servable, 2);
    EXPECT_EQ(attempts[1].ceiling, 2) << "one report is enough here";
    EXPECT_EQ(attempts[3].ceiling, 4);
    EXPECT_EQ(attempts[3].servable, 4);
}

TEST_F(FleetExtra, CountsTheObservationsThatTheAddressPolicyRefuses) {
    ServiceDeclaration service = some_service("solo", {"east"});
    service.probe = some_probe();
    service.capacity = some_capacity();
    (void)fleet.forget({"prod", "llama"});
    (void)declare(service);
    finish_all(fault(Fault::Refused, std::string(refused_address_text)));
    EXPECT_EQ(fleet.counts().refused, 2U);
    clock.advance(20s);
    finish_all(fault(Fault::Refused, "the files of the cluster in --tls-dir cannot be used"));
    EXPECT_EQ(fleet.counts().refused, 0U) << "another remedy";
    clock.advance(20s);
    finish_all(fault(Fault::Refused, std::string(refused_address_text)));
    (void)fleet.forget({"prod", "solo"});
    EXPECT_EQ(fleet.counts().refused, 0U);
}

TEST_F(FleetExtra, SomeHomesCanBeReadByName) {
    const auto reading = fleet.read({"prod", "llama"}, {"west", "gone"}, clock.now());
    ASSERT_TRUE(reading);
    ASSERT_EQ(reading->homes.size(), 1U);
    EXPECT_EQ(reading->homes[0].cluster, "west");
    EXPECT_EQ(reading->owner_uid, "uid-1");
}

TEST_F(FleetExtra, ADeclarationSaysWhetherTheServiceItselfChanged) {
    ServiceDeclaration service = some_service("llama", {"east", "west"});
    service.probe = some_probe();
    EXPECT_FALSE(declare(service).service_changed);
    service.owner_uid = "uid-2";
    EXPECT_TRUE(declare(service).service_changed);
    service.suspended = true;
    EXPECT_TRUE(declare(service).service_changed);
    EXPECT_FALSE(declare(service).service_changed);
    EXPECT_TRUE(declare(some_service("new", {})).service_changed);
}

}  // namespace
}  // namespace ome::core
