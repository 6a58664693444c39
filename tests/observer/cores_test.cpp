#include "cores.hpp"

#include <gtest/gtest.h>

namespace ome::observer {
namespace {

TEST(Cores, ReadQuotasOfBothGenerations) {
    EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
    EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
    EXPECT_EQ(parse_cpu_max(""), std::nullopt);
    EXPECT_EQ(parse_cpu_max("1 0"), std::nullopt);
    EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
    EXPECT_EQ(parse_cfs_quota("400000\n", "100000\n"), 4.0);
}

TEST(Cores, CountAPartAsOneAndTakeTheTightestQuota) {
    EXPECT_EQ(reactors_for(8, {}), 8U);
    EXPECT_EQ(reactors_for(8, {1.0}), 1U);
    EXPECT_EQ(reactors_for(8, {1.01}), 2U);
    EXPECT_EQ(reactors_for(8, {4, 2, 6}), 2U);
    EXPECT_EQ(reactors_for(2, {64}), 2U);
}

TEST(Cores, AreNeverNoneAndAtMostSixteen) {
    EXPECT_EQ(reactors_for(0, {}), 1U);
    EXPECT_EQ(reactors_for(8, {0.1}), 1U);
    EXPECT_EQ(reactors_for(16, {}), 16U);
    EXPECT_EQ(reactors_for(17, {}), 16U);
}

TEST(Cores, AreKnownHere) {
    EXPECT_GE(default_reactors(), 1U);
    EXPECT_LE(default_reactors(), 16U);
}

}  // namespace
}  // namespace ome::observer
