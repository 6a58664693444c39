#include "fleet_support.hpp"

#include <set>

namespace ome::core {
namespace {

using FleetTracks = FleetTest;

TEST_F(FleetTracks, PollsAndProbesOfAHomeAreApart) {
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

TEST_F(FleetTracks, AnotherSpellingOfTheEndpointKeepsTheHistory) {
    ServiceDeclaration declaration = polled();
    declare(declaration);
    finish(only(), servable(4));
    declaration.homes[0].endpoint = "HTTP://A.example//base/";
    EXPECT_TRUE(declare(declaration).released.empty());
    EXPECT_EQ(home().capacity->ceiling, 4);
    EXPECT_EQ(home().endpoint, "HTTP://A.example//base/");
}

TEST_F(FleetTracks, WhatChangesEndsItsOwnHistoryOnly) {
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

TEST_F(FleetTracks, OwnerEndpointAndClusterArePartOfTheIdentity) {
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

TEST_F(FleetTracks, ALateResultCannotBringAForgottenServiceBack) {
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

TEST_F(FleetTracks, ASlotIsNotReusedWhileItsOldAttemptIsOut) {
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

}  // namespace
}  // namespace ome::core
