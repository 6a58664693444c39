#include <ome/core/stall.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime due{1h};

TEST(Stall, AReactorThatLooksInTimeNeverExcusesAMissedDeadline) {
    EXPECT_FALSE(stood_still(500ms, due, due));
    EXPECT_FALSE(stood_still(500ms, due, due - 3ms));
}

TEST(Stall, AShortTimeoutToleratesFiftyMilliseconds) {
    EXPECT_FALSE(stood_still(100ms, due, due + 50ms));
    EXPECT_TRUE(stood_still(100ms, due, due + 50ms + 1ns));
}

TEST(Stall, ALongTimeoutToleratesATenthOfItself) {
    EXPECT_FALSE(stood_still(3s, due, due + 300ms));
    EXPECT_TRUE(stood_still(3s, due, due + 300ms + 1ns));
}

TEST(Stall, TheTwoTolerancesMeetAtHalfASecond) {
    EXPECT_EQ(stall_tolerance(500ms), 50ms);
    EXPECT_EQ(stall_tolerance(500ms + 10ns), 50ms + 1ns);
}

}  // namespace
}  // namespace ome::core
