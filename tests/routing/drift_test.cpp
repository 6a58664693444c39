#include <ome/routing/drift.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

using namespace std::chrono_literals;

const ObjectKey route{ObjectKind::HttpRoute, "prod", "chat-global"};

TEST(DriftGuard, RepairsTwiceAtOnceAndThenPausesLongerEachTime) {
    DriftGuard guard;
    core::SteadyTime now{100s};
    for (int repair = 0; repair < 2; ++repair) {
        EXPECT_LE(guard.repair_at(route, now), now);
        guard.repaired(route, now);
    }
    EXPECT_EQ(guard.repair_at(route, now), now + 1s);
    now += 1s;
    EXPECT_EQ(guard.repaired(route, now), 3U);
    EXPECT_EQ(guard.repair_at(route, now), now + 2s);
    for (int repair = 0; repair < 40; ++repair) {
        now = guard.repair_at(route, now);
        guard.repaired(route, now);
    }
    EXPECT_EQ(guard.repair_at(route, now), now + 5min);
}

TEST(DriftGuard, BeginsAnewAfterTenQuietMinutesAndKnowsObjectsApart) {
    DriftGuard guard;
    core::SteadyTime now{100s};
    for (int repair = 0; repair < 5; ++repair) {
        guard.repaired(route, now);
    }
    const ObjectKey other{ObjectKind::Service, "prod", "x"};
    EXPECT_LE(guard.repair_at(other, now), now);
    now += 10min;
    EXPECT_LE(guard.repair_at(route, now), now);
    EXPECT_EQ(guard.repaired(route, now), 1U);
}

}  // namespace
}  // namespace ome::routing
