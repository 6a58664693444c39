#include <ome/core/deadline.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime start{1h};

TEST(Deadline, EndsWithItsClock) {
    EXPECT_EQ(later(start, 1s), start + 1s);
    EXPECT_EQ(later(start, -1s), start - 1s);
    EXPECT_EQ(later(start, Duration::max()), SteadyTime::max());
    EXPECT_EQ(later(SteadyTime::max(), 1ns), SteadyTime::max());
    EXPECT_EQ(later(SteadyTime{-1h}, Duration::min()), SteadyTime::min());
}

TEST(Deadline, AGridEndsWithTheClock) {
    EXPECT_EQ(next_on_grid(start, 1ms), start);
    EXPECT_EQ(next_on_grid(start + 1ns, 1ms), start + 1ms);
    EXPECT_EQ(next_on_grid(start - 1ns, 1ms), start);
    EXPECT_EQ(next_on_grid(SteadyTime::max(), 1ms), SteadyTime::max());
    EXPECT_EQ(next_on_grid(SteadyTime::max() - 1ns, 1h), SteadyTime::max());
}

}  // namespace
}  // namespace ome::core
