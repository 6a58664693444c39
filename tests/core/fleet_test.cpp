#include "fleet_support.hpp"

#include <set>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

ServiceDeclaration polled(std::initializer_list<std::string> clusters = {"a"}) {
    ServiceDeclaration declaration = some_service("llama", clusters);
    declaration.capacity = some_capacity();
    return declaration;
}

ServiceDeclaration probed(std::initializer_list<std::string> clusters = {"a"}) {
    ServiceDeclaration declaration = some_service("llama", clusters);
    declaration.probe = some_probe();
    return declaration;
}

using FleetAttempts = FleetTest;
using FleetDeclarations = FleetTest;
using FleetChanges = FleetTest;

TEST_F(FleetAttempts, ANewHomeIsDueAtOnceThenOnItsOwnPhase) {
    declare(polled());
    const SteadyTime start = clock.steady();
    Attempt attempt = only();
    EXPECT_TRUE(attempt.first);
    EXPECT_EQ(attempt.due, start);
    EXPECT_EQ(fleet.target_of(attempt).host, "a.example");
    EXPECT_EQ(fleet.target_of(attempt).target, "/base/capacity");
    finish(attempt, servable(4));
    EXPECT_TRUE(due().empty());

    clock.advance(11s);  // at most min_period and one period later
    attempt = only();
    EXPECT_FALSE(attempt.first);
    EXPECT_GE(attempt.due, start + 1s);
    EXPECT_LT(attempt.due, start + 11s);
    const SteadyTime second = attempt.due;
    finish(attempt, servable(4));

    clock.advance(27s);
    attempt = only();
    EXPECT_EQ((attempt.due - second) % 10s, 0s);
}

TEST_F(FleetAttempts, AnIdentityInFlightIsNotTakenAgain) {
    declare(polled());
    const Attempt attempt = only();
    clock.advance(60s);
    EXPECT_TRUE(due().empty());
    finish(attempt, servable(4));
    EXPECT_EQ(due().size(), 1u);
}

TEST_F(FleetAttempts, ASlotMissedInTheWaitingLineIsSkipped) {
    declare(polled());
    fleet.gather(clock.now());
    clock.advance(45s);
    fleet.gather(clock.now());
    EXPECT_EQ(fleet.counts().waiting, 1u);
    finish(*fleet.take(clock.now()), servable(4));
    EXPECT_TRUE(due().empty());
    EXPECT_GT(*fleet.next_wakeup(), clock.steady());
}

TEST_F(FleetAttempts, ServicesTakeTurns) {
    declare(polled({"a", "b", "c"}));
    ServiceDeclaration other = polled({"x"});
    other.key.name = "mistral";
    declare(other);
    EXPECT_EQ(fleet.services_waiting(), 0u);
    fleet.gather(clock.now());
    EXPECT_EQ(fleet.services_waiting(), 2u);
    std::string order;
    while (const auto attempt = fleet.take(clock.now())) {
        order += cluster_of(*attempt);
    }
    EXPECT_EQ(order, "axbc");
}

TEST_F(FleetAttempts, PollsAndProbesOfAHomeAreApart) {
    ServiceDeclaration both = polled();
    both.probe = some_probe();
    declare(both);
    const std::vector<Attempt> taken = due();
    ASSERT_EQ(taken.size(), 2u);
    EXPECT_NE(taken[0].slot, taken[1].slot);
    EXPECT_NE(taken[0].plan->kind, taken[1].plan->kind);
    EXPECT_EQ(fleet.counts().observations, 2u);
    EXPECT_EQ(fleet.counts().in_flight, 2u);
}

TEST_F(FleetAttempts, ACancelledOneIsDueAtOnceAndNothingElse) {
    declare(probed());
    finish(only(), status(503));
    clock.advance(11s);
    const HomeReading before = home();
    const Attempt attempt = only();
    finish(attempt, fault(Fault::Cancelled));
    EXPECT_EQ(home(), before);
    const Attempt again = only();
    EXPECT_EQ(again.due, attempt.due);
    EXPECT_TRUE(again.first) << "its lateness says nothing about the budget";
    EXPECT_EQ(fleet.counts().attempts.cancelled, 1u);
}

TEST_F(FleetAttempts, AStallIsForgivenTwiceInARowThenItCounts) {
    declare(probed());
    finish(only(), fault(Fault::Stalled));
    finish(only(), fault(Fault::Stalled));
    EXPECT_FALSE(home().probe);
    finish(only(), fault(Fault::Stalled));
    EXPECT_EQ(home().probe->message, "transport error: context deadline exceeded");
    EXPECT_EQ(home().probe->consecutive_failures, 1);
    EXPECT_EQ(fleet.counts().attempts.stalled, 2u);
    EXPECT_EQ(fleet.counts().attempts.probes_failing, 1u);
    EXPECT_TRUE(due().empty());

    clock.advance(11s);  // and then it is forgiven again
    finish(only(), fault(Fault::Stalled));
    EXPECT_EQ(home().probe->consecutive_failures, 1);
}

TEST_F(FleetAttempts, AResultBetweenStallsStartsTheirCountAgain) {
    declare(polled());
    finish(only(), fault(Fault::Stalled));
    finish(only(), fault(Fault::Stalled));
    finish(only(), servable(3));
    clock.advance(11s);
    finish(only(), fault(Fault::Stalled));
    finish(only(), fault(Fault::Stalled));
    EXPECT_EQ(home().capacity->ceiling, 3);
    finish(only(), fault(Fault::Stalled));
    EXPECT_EQ(home().capacity->fallback_reason,
              "capacity endpoint unreachable: context deadline exceeded");
}

TEST_F(FleetAttempts, APathThatDoesNotJoinIsJudgedOnTheNormalCadenceWithoutAPermit) {
    ServiceDeclaration bad = polled();
    bad.capacity->path = "/%zz";
    bad.probe = some_probe();
    bad.probe->path = "/%zz";
    declare(bad);
    EXPECT_TRUE(due().empty());
    EXPECT_EQ(home().capacity->fallback_reason,
              "capacity request URL is invalid: join endpoint and capacity path: invalid URL "
              "escape \"%zz\"");
    EXPECT_EQ(home().probe->message, "probe could not run: invalid URL escape \"%zz\"");
    EXPECT_EQ(home().probe->result, ProbeResult::Unknown);
    EXPECT_EQ(fleet.counts().attempts.polls_failed, 1u);
    clock.advance(11s);
    EXPECT_TRUE(due().empty());
    EXPECT_EQ(fleet.counts().attempts.polls_failed, 2u);
    EXPECT_EQ(home().probe->last_probe_time, clock.wall());
}

TEST_F(FleetAttempts, SaysWhatCountedAndWhereItWent) {
    ServiceDeclaration declaration = some_service("llama", {"a"});
    declaration.homes[0].endpoint = "HTTP://A.example/base";
    declaration.probe = some_probe();
    declare(declaration);
    const Attempt first = only();
    EXPECT_EQ(fleet.endpoint_of(first), "http://a.example/base");
    EXPECT_TRUE(finish(first, status(503)));
    EXPECT_EQ(fleet.endpoint_of(first), "");
    EXPECT_FALSE(finish(first, status(503)));
    clock.advance(std::chrono::seconds(20));
    EXPECT_FALSE(finish(only(), fault(Fault::Cancelled)));
    const Attempt last = only();
    (void)fleet.forget({"prod", "llama"});
    EXPECT_EQ(fleet.endpoint_of(last), "");
    EXPECT_FALSE(finish(last, status(200)));
}

TEST_F(FleetAttempts, ASecondReturnOfAnAttemptChangesNothing) {
    declare(probed());
    const Attempt attempt = only();
    finish(attempt, status(503));
    finish(attempt, status(503));
    EXPECT_EQ(home().probe->consecutive_failures, 1);
    EXPECT_EQ(fleet.counts().in_flight, 0u);
}

TEST_F(FleetDeclarations, AHomeWithoutAUsableEndpointIsAReadingAndNoTarget) {
    ServiceDeclaration declaration = polled({"a", "b"});
    declaration.probe = some_probe();
    declaration.homes[0].endpoint = "//invalid.example";
    declare(declaration);
    EXPECT_EQ(due().size(), 2u);
    EXPECT_EQ(home().capacity->fallback_reason,
              "capacity target is invalid: endpoint URL \"//invalid.example\" must be absolute");
    EXPECT_FALSE(home().probe);
    EXPECT_EQ(fleet.counts().fallback, 2u);
    EXPECT_EQ(fleet.counts().homes, 2u);
}

TEST_F(FleetDeclarations, TheSameAgainChangesNothing) {
    ServiceDeclaration both = polled();
    both.probe = some_probe();
    declare(both);
    finish_all(servable(4));
    std::ignore = fleet.take_changes();
    const HomeReading before = home();
    const Dropped dropped = declare(both);
    EXPECT_TRUE(dropped.released.empty() && dropped.cancelled.empty() && dropped.forgotten.empty());
    EXPECT_EQ(home(), before);
    EXPECT_TRUE(due().empty());
    EXPECT_TRUE(fleet.take_changes().empty());
}

TEST_F(FleetDeclarations, AnotherSpellingOfTheEndpointKeepsTheHistory) {
    ServiceDeclaration declaration = polled();
    declare(declaration);
    finish(only(), servable(4));
    declaration.homes[0].endpoint = "HTTP://A.example//base/";
    EXPECT_TRUE(declare(declaration).released.empty());
    EXPECT_EQ(home().capacity->ceiling, 4);
    EXPECT_EQ(home().endpoint, "HTTP://A.example//base/");
}

TEST_F(FleetDeclarations, WhatChangesEndsItsOwnHistoryOnly) {
    ServiceDeclaration both = polled();
    both.probe = some_probe();
    declare(both);
    for (const Attempt& attempt : due()) {
        finish(attempt, attempt.plan->kind == Kind::Poll ? servable(4) : status(503));
    }
    both.capacity->digest = "sha256:other";
    EXPECT_EQ(declare(both).released.size(), 1u);
    EXPECT_EQ(home().capacity->fallback_reason, "no capacity report yet");
    EXPECT_EQ(home().probe->consecutive_failures, 1);
    EXPECT_EQ(due().size(), 1u) << "polled at once";

    both.probe.reset();
    EXPECT_EQ(declare(both).released.size(), 1u);
    EXPECT_FALSE(home().probe);
}

TEST_F(FleetDeclarations, OwnerEndpointAndClusterArePartOfTheIdentity) {
    ServiceDeclaration declaration = polled();
    const auto history_is_new = [&] {
        finish_all(servable(4));
        EXPECT_EQ(declare(declaration).released.size(), 1u);
        EXPECT_EQ(home().capacity->fallback_reason, "no capacity report yet");
    };
    declare(declaration);
    declaration.owner_uid = "uid-2";
    history_is_new();
    declaration.homes[0].endpoint = "http://a.example/other";
    history_is_new();
    declaration.homes[0].cluster = "b";
    history_is_new();
}

TEST_F(FleetDeclarations, SaysWhetherAnythingChangedAndWhichHomesMoved) {
    ServiceDeclaration declaration = some_service("llama", {"a", "b"});
    declaration.probe = some_probe();
    EXPECT_TRUE(declare(declaration).changed);
    EXPECT_FALSE(declare(declaration).changed);
    declaration.homes[0].endpoint = "HTTP://a.example//base/";
    Dropped dropped = declare(declaration);
    EXPECT_TRUE(dropped.changed) << "it is shown as it is spelled";
    EXPECT_TRUE(dropped.moved.empty());
    declaration.homes[0].endpoint = "http://a.example/other";
    EXPECT_EQ(declare(declaration).moved, std::vector<std::string>{"a"});
    declaration.homes[0].endpoint = "no endpoint";
    EXPECT_EQ(declare(declaration).moved, std::vector<std::string>{"a"});
    EXPECT_FALSE(declare(declaration).changed);
    declaration.probe = some_probe("sha256:another");
    EXPECT_TRUE(declare(declaration).changed);
    declaration.homes.pop_back();
    dropped = declare(declaration);
    EXPECT_TRUE(dropped.changed);
    EXPECT_TRUE(dropped.moved.empty());
    declaration.suspended = true;
    EXPECT_TRUE(declare(declaration).changed);
    EXPECT_FALSE(declare(declaration).changed);
    EXPECT_TRUE(fleet.forget(declaration.key).changed);
    EXPECT_FALSE(fleet.forget(declaration.key).changed);
}

TEST_F(FleetDeclarations, HomesMayComeInAnotherOrder) {
    declare(polled({"a", "b", "c"}));
    int count = 1;
    for (const Attempt& attempt : due()) {
        finish(attempt, servable(count++));
    }
    EXPECT_EQ(declare(polled({"c", "a"})).forgotten, std::vector<std::string>{"b"});
    EXPECT_EQ(home("llama", 0).capacity->ceiling, 3);
    EXPECT_EQ(home("llama", 1).capacity->ceiling, 1);
    clock.advance(11s);
    for (const Attempt& attempt : due()) {
        finish(attempt, servable(cluster_of(attempt) == "c" ? 30 : 10));
    }
    EXPECT_EQ(home("llama", 0).capacity->samples.back().servable, 30);
}

TEST_F(FleetDeclarations, ALateResultCannotBringAForgottenServiceBack) {
    declare(probed());
    const Attempt attempt = only();
    const Dropped dropped = fleet.forget({"prod", "llama"});
    EXPECT_EQ(dropped.released, std::vector<Slot>{attempt.slot});
    EXPECT_EQ(dropped.forgotten, std::vector<std::string>{"a"});
    std::ignore = fleet.take_changes();
    finish(attempt, status(503));
    EXPECT_FALSE(fleet.read({"prod", "llama"}, clock.now()));
    EXPECT_TRUE(fleet.take_changes().empty());
    EXPECT_EQ(fleet.counts().attempts.superseded, 1u);
    EXPECT_EQ(fleet.counts().in_flight, 0u);
    EXPECT_EQ(fleet.next_wakeup(), std::nullopt);
    EXPECT_TRUE(fleet.forget({"prod", "llama"}).released.empty());
}

TEST_F(FleetDeclarations, ASlotIsNotReusedWhileItsOldAttemptIsOut) {
    declare(probed());
    const Attempt old = only();
    std::ignore = fleet.forget({"prod", "llama"});
    declare(probed());
    const Attempt fresh = only();
    EXPECT_NE(fresh.slot, old.slot);
    finish(old, status(503));
    EXPECT_FALSE(home().probe);
    std::ignore = fleet.forget({"prod", "llama"});
    finish(fresh, status(503));
    declare(probed({"a", "b"}));
    std::set<Slot> slots;
    for (const Attempt& attempt : due()) {
        slots.insert(attempt.slot);
    }
    EXPECT_EQ(slots, (std::set<Slot>{old.slot, fresh.slot}));
}

TEST_F(FleetDeclarations, AStoredGateIsThereAtOnceAndTheProbeKeepsItsRhythm) {
    ServiceDeclaration declaration = probed();
    declaration.homes[0].restored =
        RestoredProbe{"sha256:p", true, 5, ProbeResult::Failing, "HTTP 503", clock.wall() + -4s};
    declare(declaration);
    EXPECT_TRUE(home().probe->gated);
    EXPECT_EQ(home().probe->message, "HTTP 503");
    EXPECT_EQ(fleet.counts().gated, 1u);
    EXPECT_TRUE(due().empty());
    clock.advance(6s - 1ns);
    EXPECT_TRUE(due().empty());
    clock.advance(1ns);
    EXPECT_EQ(due().size(), 1u);
}

TEST_F(FleetDeclarations, AStoredGateOfAnotherPolicyOrOfAHistoryThatRunsIsIgnored) {
    ServiceDeclaration declaration = probed();
    declaration.homes[0].restored =
        RestoredProbe{"sha256:x", true, 5, ProbeResult::Failing, "HTTP 503", clock.wall()};
    declare(declaration);
    EXPECT_FALSE(home().probe);
    finish(only(), status(200));
    declaration.homes[0].restored->policy_digest = "sha256:p";
    declare(declaration);
    EXPECT_FALSE(home().probe->gated);
}

TEST_F(FleetDeclarations, SuspendedNothingIsSentNoLateResultAppliesAndThePhaseStays) {
    declare(probed({"a", "b"}));
    finish_all(status(503));
    clock.advance(11s);
    fleet.gather(clock.now());
    const Attempt out = *fleet.take(clock.now());
    ServiceDeclaration idle = some_service("llama", {});
    idle.suspended = true;
    EXPECT_EQ(declare(idle).cancelled, std::vector<Slot>{out.slot});
    EXPECT_TRUE(due().empty());
    finish(out, status(503));
    clock.advance(60s);
    EXPECT_TRUE(due().empty());
    const auto reading = fleet.read({"prod", "llama"}, clock.now());
    ASSERT_EQ(reading->homes.size(), 2u);
    EXPECT_TRUE(reading->suspended);
    EXPECT_EQ(reading->homes[0].probe->consecutive_failures, 1);
    EXPECT_EQ(reading->homes[0].probe->next_attempt_time, std::nullopt);

    EXPECT_TRUE(declare(probed({"a", "b"})).released.empty());
    for (const Attempt& attempt : due()) {
        EXPECT_TRUE(attempt.first) << "late, but not for want of permits";
        finish(attempt, status(200));
    }
    clock.advance(10s);
    for (const Attempt& attempt : due()) {
        if (attempt.slot == out.slot) {
            EXPECT_EQ((attempt.due - out.due) % 10s, 0s);
        }
        EXPECT_FALSE(attempt.first);
    }
}

TEST_F(FleetDeclarations, ResumedWhileTheOldAttemptIsOutItWaitsForIt) {
    declare(probed());
    const Attempt out = only();
    ServiceDeclaration idle = probed();
    idle.suspended = true;
    declare(idle);
    declare(probed());
    EXPECT_TRUE(due().empty());
    finish(out, status(503));
    EXPECT_FALSE(home().probe) << "it was sent before the suspension";
    EXPECT_EQ(due().size(), 1u);
}

TEST_F(FleetDeclarations, AnotherOwnerWhileSuspendedEndsTheHistories) {
    declare(polled());
    finish(only(), servable(4));
    ServiceDeclaration idle = some_service("llama", {});
    idle.suspended = true;
    idle.owner_uid = "uid-2";
    EXPECT_EQ(declare(idle).released.size(), 1u);
    EXPECT_EQ(home().capacity->ceiling, std::nullopt);
    EXPECT_EQ(fleet.read({"prod", "llama"}, clock.now())->owner_uid, "uid-2");
    EXPECT_TRUE(due().empty());
}

TEST_F(FleetDeclarations, PagesOfKeysAreInOrder) {
    for (const std::string name : {"c", "a", "d", "b"}) {
        declare(some_service(name, {}));
    }
    const std::vector<ServiceKey> page = fleet.keys_after(nullptr, 3);
    EXPECT_EQ(page, (std::vector<ServiceKey>{{"prod", "a"}, {"prod", "b"}, {"prod", "c"}}));
    const ServiceKey between{"prod", "bb"};
    EXPECT_EQ(fleet.keys_after(&between, 10),
              (std::vector<ServiceKey>{{"prod", "c"}, {"prod", "d"}}));
}

TEST_F(FleetChanges, AnEventSaysWhatItDid) {
    declare(probed());
    EXPECT_EQ(fleet.take_changes().size(), 1u);  // a new home
    finish(only(), status(503));
    EXPECT_EQ(fleet.take_changes().front().effects, 0);
    clock.advance(11s);
    finish(only(), status(503));
    const std::vector<Change> changes = fleet.take_changes();
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes.front().effects, GateClosed);
    EXPECT_TRUE(changes.front().reading.probe->gated);
    EXPECT_EQ(fleet.counts().gated, 1u);
}

TEST_F(FleetChanges, ACeilingComesMovesAndGoes) {
    declare(polled());
    EXPECT_EQ(fleet.counts().fallback, 1u);
    std::ignore = fleet.take_changes();
    const auto effects_of = [this](const AttemptOutcome& outcome) {
        clock.advance(11s);
        finish(only(), outcome);
        int effects = 0;
        for (const Change& change : fleet.take_changes()) {
            effects |= change.effects;
        }
        return effects;
    };
    EXPECT_EQ(effects_of(report(4, clock.wall())), CeilingBack);
    EXPECT_EQ(effects_of(report(4, clock.wall())), 0);
    EXPECT_EQ(effects_of(report(2, clock.wall())), CeilingMoved);
    EXPECT_EQ(effects_of(status(503)), CeilingLost);
    EXPECT_EQ(fleet.counts().fallback, 1u);
}

TEST_F(FleetChanges, ExpiryIsAChangeWithoutAnAttempt) {
    declare(polled());
    finish(only(), servable(4));
    clock.advance(11s);
    const Attempt out = only();  // the next poll hangs
    std::ignore = fleet.take_changes();
    clock.advance(19s - 1ns);
    fleet.gather(clock.now());
    EXPECT_TRUE(fleet.take_changes().empty());
    EXPECT_EQ(fleet.next_wakeup(), clock.steady() + 1ns);
    clock.advance(1ns);
    fleet.gather(clock.now());
    const std::vector<Change> changes = fleet.take_changes();
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes.front().effects, CeilingLost);
    EXPECT_EQ(changes.front().ceiling_before, 4);
    EXPECT_EQ(changes.front().reading.capacity->fallback_reason,
              "capacity report is stale (at least configured maximum age 30s)");
    finish(out, servable(5));
}

TEST_F(FleetChanges, AReadingExpiresByTheReadersClock) {
    declare(polled());
    finish(only(), servable(4));
    clock.advance(30s);
    EXPECT_EQ(home().capacity->ceiling, std::nullopt);
    EXPECT_EQ(fleet.take_changes().back().effects, CeilingLost);
}

TEST_F(FleetChanges, AStepOfTheWallClockIsNoticed) {
    declare(polled());
    finish(only(), servable(4));
    fleet.gather(clock.now());
    std::ignore = fleet.take_changes();
    const auto wakeup = fleet.next_wakeup();
    clock.step_wall(30s);
    fleet.gather(clock.now());
    EXPECT_EQ(fleet.take_changes().size(), 1u);
    EXPECT_EQ(fleet.next_wakeup(), wakeup) << "no deadline moves";
    EXPECT_EQ(home().capacity->ceiling, std::nullopt);
}

TEST_F(FleetChanges, AStepBackKeepsTheSampleForAsLongAsItsStampSays) {
    declare(polled());
    finish(only(), servable(4));
    const Attempt hanging = (clock.advance(11s), only());
    fleet.gather(clock.now());
    clock.step_wall(-5s);
    clock.advance(24s - 1ns);
    fleet.gather(clock.now());
    EXPECT_EQ(fleet.next_wakeup(), clock.steady() + 1ns);
    EXPECT_EQ(fleet.counts().fallback, 0u);
    clock.advance(1ns);
    fleet.gather(clock.now());
    EXPECT_EQ(fleet.counts().fallback, 1u);
    finish(hanging, servable(4));
}

TEST_F(FleetChanges, TimesAloneRideAlongOncePerPeriodAndService) {
    declare(polled({"a", "b", "c"}));
    finish_all(servable(4));
    fleet.gather(clock.now());
    std::ignore = fleet.take_changes();
    std::vector<SteadyTime> batches;
    std::size_t announced = 0;
    const SteadyTime end = clock.steady() + 105s;
    while (clock.steady() < end) {
        clock.advance(10ms);
        finish_all(servable(4));
        const std::vector<Change> changes = fleet.take_changes();
        announced += changes.size();
        if (!changes.empty()) {
            batches.push_back(clock.steady());
            EXPECT_EQ(changes.front().effects, 0);
        }
    }
    EXPECT_GE(batches.size(), 9u);
    EXPECT_LE(batches.size(), 11u);
    EXPECT_GE(announced, 27u);
    for (std::size_t at = 1; at < batches.size(); ++at) {
        EXPECT_GE(batches[at] - batches[at - 1], 10s);
    }
}

TEST_F(FleetChanges, WhereNobodyFollowsTimesAreAnnouncedForHomesInTroubleOnly) {
    fleet.announce_times(false);
    declare(polled({"well", "troubled"}));
    const auto poll_once = [this] {
        for (const Attempt& attempt : due()) {
            finish(attempt,
                   fleet.cluster_of(attempt) == "well" ? servable(4) : AttemptOutcome(status(503)));
        }
    };
    poll_once();
    std::ignore = fleet.take_changes();
    std::set<std::string> announced;
    for (int period = 0; period < 3; ++period) {
        clock.advance(11s);
        poll_once();
        clock.advance(11s);
        fleet.gather(clock.now());
        for (const Change& change : fleet.take_changes()) {
            announced.insert(change.reading.cluster);
        }
    }
    EXPECT_EQ(announced, std::set<std::string>{"troubled"});
}

TEST_F(FleetChanges, WhoFollowsLaterIsToldTheTimesOfAllHomesFromThenOn) {
    fleet.announce_times(false);
    declare(polled({"well"}));
    const auto periods = [this] {
        std::set<std::string> announced;
        for (int period = 0; period < 3; ++period) {
            clock.advance(11s);
            finish_all(servable(4));
            for (const Change& change : fleet.take_changes()) {
                announced.insert(change.reading.cluster);
            }
        }
        return announced;
    };
    finish_all(servable(4));
    std::ignore = fleet.take_changes();
    EXPECT_TRUE(periods().empty());
    fleet.announce_times(true);
    EXPECT_EQ(periods(), std::set<std::string>{"well"});
    fleet.announce_times(false);
    std::ignore = periods();
    EXPECT_TRUE(periods().empty());
}

TEST_F(FleetChanges, AnnouncingTheTimesOfVeryManyHomesIsSplit) {
    ServiceDeclaration many = polled({});
    for (int number = 0; number < 1000; ++number) {
        const std::string cluster = "worker-" + std::to_string(number);
        many.homes.push_back({cluster, "http://" + cluster + ".example", std::nullopt});
    }
    declare(many);
    finish_all(servable(4));
    clock.advance(11s);
    finish_all(servable(4));
    std::ignore = fleet.take_changes();
    std::set<std::string> announced;
    for (int round = 0; round < 4; ++round) {
        fleet.gather(clock.now());
        const std::vector<Change> changes = fleet.take_changes();
        EXPECT_LE(changes.size(), 256u);
        for (const Change& change : changes) {
            announced.insert(change.reading.cluster);
        }
    }
    EXPECT_EQ(announced.size(), 1000u);
}

TEST_F(FleetChanges, AnEndedPolicyLiftsItsGate) {
    declare(probed());
    finish(only(), status(503));
    clock.advance(11s);
    finish(only(), status(503));
    std::ignore = fleet.take_changes();
    ServiceDeclaration changed = probed();
    changed.probe->digest = "sha256:other";
    declare(changed);
    const std::vector<Change> changes = fleet.take_changes();
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes.front().effects, GateLifted);
    EXPECT_EQ(fleet.counts().gated, 0u);
}

TEST_F(FleetAttempts, WhatAnswersToldOfCertificatesAndClocksIsInTheReading) {
    ServiceDeclaration both = polled();
    both.probe = some_probe();
    declare(both);
    EXPECT_EQ(home().certificate_expiry, std::nullopt);
    EXPECT_EQ(fleet.extremes().earliest_expiry, std::nullopt);
    for (const Attempt& attempt : due()) {
        const bool poll = attempt.plan->kind == Kind::Poll;
        AttemptOutcome outcome = poll ? servable(4) : status(200);
        outcome.certificate_expiry = WallTime{poll ? 2000 : 3000, 0};
        outcome.clock_skew = poll ? std::optional(-7) : std::nullopt;
        finish(attempt, outcome);
    }
    EXPECT_EQ(home().certificate_expiry, (WallTime{2000, 0}));
    EXPECT_EQ(home().clock_skew, -7);
    clock.advance(11s);
    finish_all(fault(Fault::Unreachable, "connection refused"));
    EXPECT_EQ(home().certificate_expiry, (WallTime{2000, 0}));
    EXPECT_EQ(home().clock_skew, -7);
}

TEST_F(FleetAttempts, TheWorstOfAllHomesIsTheFleets) {
    declare(polled({"a", "b", "c"}));
    std::int64_t expiry = 5000;
    for (const Attempt& attempt : due()) {
        AttemptOutcome outcome = servable(4);
        outcome.certificate_expiry = WallTime{cluster_of(attempt) == "b" ? 1000 : ++expiry, 0};
        outcome.clock_skew = cluster_of(attempt) == "b" ? -9 : 3;
        finish(attempt, outcome);
    }
    EXPECT_EQ(fleet.extremes().earliest_expiry, (WallTime{1000, 0}));
    EXPECT_EQ(fleet.extremes().largest_skew, -9);
    declare(polled({"a", "c"}));
    EXPECT_EQ(fleet.extremes().earliest_expiry, (WallTime{5001, 0}));
    EXPECT_EQ(fleet.extremes().largest_skew, 3);
}

}  // namespace
}  // namespace ome::core
