#include "fleet_support.hpp"

#include <set>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

using FleetChanges = FleetTest;

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

TEST_F(FleetChanges, WhatAnswersToldOfCertificatesAndClocksIsInTheReading) {
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

}  // namespace
}  // namespace ome::core
