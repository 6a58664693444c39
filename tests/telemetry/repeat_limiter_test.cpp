#include <ome/telemetry/repeat_limiter.hpp>

#include <gtest/gtest.h>

namespace ome::telemetry {
namespace {

using namespace std::chrono_literals;

constexpr core::SteadyTime start{1h};

TEST(RepeatLimiter, TellsTheFirstAndThenOncePerInterval) {
    RepeatLimiter limiter(1min);
    EXPECT_TRUE(limiter.admit("a", start).tell);
    EXPECT_FALSE(limiter.admit("a", start + 1s).tell);
    EXPECT_FALSE(limiter.admit("a", start + 1min - 1ns).tell);
    const auto again = limiter.admit("a", start + 1min);
    EXPECT_TRUE(again.tell);
    EXPECT_EQ(again.untold, 2U);
    EXPECT_EQ(limiter.admit("a", start + 2min).untold, 0U);
}

TEST(RepeatLimiter, KeepsKeysApart) {
    RepeatLimiter limiter(1min);
    EXPECT_TRUE(limiter.admit("a", start).tell);
    EXPECT_TRUE(limiter.admit("b", start).tell);
}

TEST(RepeatLimiter, TellsAgainAtOnceWhenItWasOver) {
    RepeatLimiter limiter(1min);
    EXPECT_TRUE(limiter.admit("a", start).tell);
    limiter.forget("a");
    EXPECT_TRUE(limiter.admit("a", start).tell);
}

TEST(RepeatLimiter, ForgetsTheOldestKeyAtItsLimit) {
    RepeatLimiter limiter(1min, 2);
    EXPECT_TRUE(limiter.admit("old", start).tell);
    EXPECT_TRUE(limiter.admit("young", start + 1s).tell);
    EXPECT_TRUE(limiter.admit("new", start + 2s).tell);
    EXPECT_EQ(limiter.keys(), 2U);
    EXPECT_FALSE(limiter.admit("young", start + 3s).tell);
    EXPECT_TRUE(limiter.admit("old", start + 3s).tell);
}

}  // namespace
}  // namespace ome::telemetry
