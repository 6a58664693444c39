#include <ome/telemetry/repeat_limiter.hpp>

#include <gtest/gtest.h>

#include <ctime>
#include <string>

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

double processor_seconds_of_new_keys(std::size_t max_keys) {
    RepeatLimiter limiter(1min, max_keys);
    core::SteadyTime now = start;
    const std::clock_t begun = std::clock();
    for (int i = 0; i < 30000; ++i) {
        now += 1us;
        EXPECT_TRUE(limiter.admit(std::to_string(i), now).tell);
    }
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

// More homes in trouble than keys: what one of them costs must not grow with the keys that are
// kept.
TEST(RepeatLimiter, AKeyThatTakesAnothersPlaceCostsNoLookAtAllOfThem) {
    EXPECT_LT(processor_seconds_of_new_keys(4096), 20 * processor_seconds_of_new_keys(16) + 0.1);
}

}  // namespace
}  // namespace ome::telemetry
