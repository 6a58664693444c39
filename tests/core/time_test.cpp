#include <ome/core/time.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

TEST(WallTime, AddsAndSubtractsAcrossTheSecond) {
    const WallTime at{10, 900'000'000};
    EXPECT_EQ(at + 200ms, (WallTime{11, 100'000'000}));
    EXPECT_EQ(at + -1s, (WallTime{9, 900'000'000}));
    EXPECT_EQ(at + -901ms, (WallTime{9, 999'000'000}));
    EXPECT_EQ((at + 200ms) - at, 200ms);
    EXPECT_EQ(at - (at + 200ms), -200ms);
}

TEST(WallTime, KeepsNanosecondsForwardBeforeTheEpoch) {
    EXPECT_EQ((WallTime{0, 0} + -1ns), (WallTime{-1, 999'999'999}));
    EXPECT_LT((WallTime{-1, 999'999'999}), (WallTime{0, 0}));
}

TEST(WallTime, ClampsDistancesThatDoNotFit) {
    const WallTime year_1{-62'135'596'800, 0};
    const WallTime year_9999{253'402'300'799, 0};
    EXPECT_EQ(year_9999 - year_1, Duration::max());
    EXPECT_EQ(year_1 - year_9999, Duration::min());
}

}  // namespace
}  // namespace ome::core
