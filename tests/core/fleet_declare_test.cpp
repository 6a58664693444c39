#include "fleet_support.hpp"

namespace ome::core {
namespace {

using namespace std::chrono_literals;

using FleetDeclarations = FleetTest;

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

}  // namespace
}  // namespace ome::core
