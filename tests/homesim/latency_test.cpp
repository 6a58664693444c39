#include "latency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ome::homesim {
namespace {

using namespace std::chrono_literals;
using Shape = Latency::Shape;

std::vector<core::Duration> drawn(const Latency& latency) {
    std::mt19937 random(1);
    std::vector<core::Duration> all;
    for (int i = 0; i < 20'000; ++i) {
        all.push_back(draw(latency, random));
    }
    std::sort(all.begin(), all.end());
    return all;
}

core::Duration mean(const std::vector<core::Duration>& all) {
    core::Duration sum{};
    for (const core::Duration one : all) {
        sum += one;
    }
    return sum / static_cast<std::int64_t>(all.size());
}

TEST(Latency, IsFixedOrEvenlyBetween) {
    std::mt19937 random(1);
    EXPECT_EQ(draw({.least = 5ms, .most = 5ms}, random), 5ms);
    const auto all = drawn({.least = 10ms, .most = 30ms});
    EXPECT_GE(all.front(), 10ms);
    EXPECT_LE(all.back(), 30ms);
    EXPECT_NEAR(static_cast<double>(mean(all) / 1us), 20'000, 500);
}

TEST(Latency, HasTheMeanOfItsExponential) {
    const auto all = drawn({.shape = Shape::Exponential, .least = 20ms});
    EXPECT_NEAR(static_cast<double>(mean(all) / 1us), 20'000, 1000);
    EXPECT_GT(all.back(), 100ms);
}

TEST(Latency, HasTheMedianOfItsLognormal) {
    const auto all = drawn({.shape = Shape::Lognormal, .least = 20ms, .sigma = 1});
    EXPECT_NEAR(static_cast<double>(all[all.size() / 2] / 1us), 20'000, 1000);
    EXPECT_GT(all.back(), 400ms);
}

TEST(Latency, StaysBelowItsBound) {
    const auto all = drawn({.shape = Shape::Lognormal, .least = 20ms, .most = 50ms, .sigma = 2});
    EXPECT_EQ(all.back(), 50ms);
    EXPECT_EQ(drawn({.shape = Shape::Exponential, .least = 100h}).back(), 1h);
}

}  // namespace
}  // namespace ome::homesim
