#include "fleet_support.hpp"

namespace ome::core {
namespace {

using namespace std::chrono_literals;

using FleetAttempts = FleetTest;

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

TEST_F(FleetAttempts, ASecondReturnOfAnAttemptChangesNothing) {
    declare(probed());
    const Attempt attempt = only();
    finish(attempt, status(503));
    finish(attempt, status(503));
    EXPECT_EQ(home().probe->consecutive_failures, 1);
    EXPECT_EQ(fleet.counts().in_flight, 0u);
}

}  // namespace
}  // namespace ome::core
