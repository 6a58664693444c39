#include <ome/routing/drain_expiry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::routing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Drain a{"a", "worker-a", "upgrade"};
const Drain b{"b", "worker-b", "upgrade"};
constexpr core::WallTime now{1'000, 0};

TEST(DrainExpiry, ADrainLapsesAtTheInstant) {
    const Lapse before = lapse({a, b}, {{a, {1'000, 1}}}, now);
    EXPECT_THAT(before.lapsed, IsEmpty());
    EXPECT_THAT(before.left, ElementsAre(a, b));
    EXPECT_EQ(before.next, (core::WallTime{1'000, 1}));
    EXPECT_FALSE(before.changed);
    const Lapse at = lapse({a, b}, {{a, now}}, now);
    EXPECT_THAT(at.lapsed, ElementsAre(a));
    EXPECT_THAT(at.left, ElementsAre(b)) << "what has no expiry stays";
    EXPECT_THAT(at.expiries, IsEmpty());
    EXPECT_EQ(at.next, std::nullopt);
    EXPECT_TRUE(at.changed);
}

TEST(DrainExpiry, TheNextIsTheEarliest) {
    EXPECT_EQ(lapse({a, b}, {{a, {3'000, 0}}, {b, {2'000, 0}}}, now).next,
              (core::WallTime{2'000, 0}));
}

TEST(DrainExpiry, AnIdGivenAnewDoesNotInherit) {
    const Drain anew{"a", "worker-a", "fire"};
    const Lapse result = lapse({anew}, {{a, {500, 0}}}, now);
    EXPECT_THAT(result.lapsed, IsEmpty());
    EXPECT_THAT(result.left, ElementsAre(anew));
    EXPECT_TRUE(result.changed) << "the expiry without its drain goes";
    EXPECT_THAT(result.expiries, IsEmpty());
}

TEST(DrainExpiry, NothingLapsesWithoutExpiries) {
    const Lapse result = lapse({a, b}, {}, now);
    EXPECT_THAT(result.left, ElementsAre(a, b));
    EXPECT_FALSE(result.changed);
}

}  // namespace
}  // namespace ome::routing
