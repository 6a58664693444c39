#include "descriptors.hpp"

#include <gtest/gtest.h>

namespace ome::observer {
namespace {

TEST(ShareDescriptors, GivesEveryoneWhatTheyWishWhenThereIsEnough) {
    const DescriptorShares shares = share_descriptors(20'000, {16, 256, 16'384});
    EXPECT_EQ(shares.api_connections, 256U);
    EXPECT_EQ(shares.idle_connections, 16'384U);
}

TEST(ShareDescriptors, TakesFromIdleConnectionsFirst) {
    const DescriptorShares shares = share_descriptors(1'024, {16, 256, 16'384});
    EXPECT_EQ(shares.api_connections, 256U);
    EXPECT_EQ(shares.idle_connections, 1'024U - 32 - 256 - 32);
}

TEST(ShareDescriptors, KeepsTheApiReachableUnderATinyLimit) {
    const DescriptorShares shares = share_descriptors(64, {16, 256, 16'384});
    EXPECT_EQ(shares.api_connections, 16U);
    EXPECT_EQ(shares.idle_connections, 0U);
    EXPECT_EQ(share_descriptors(8, {16, 256, 16'384}).api_connections, 4U);
}

TEST(FewestDescriptors, GrowWithTheEventLoops) {
    EXPECT_EQ(fewest_descriptors(1), 18U);
    EXPECT_EQ(fewest_descriptors(16), 63U);
}

}  // namespace
}  // namespace ome::observer
