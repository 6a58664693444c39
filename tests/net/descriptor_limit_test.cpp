#include <ome/net/descriptor_limit.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace ome::net {
namespace {

TEST(RaiseDescriptorLimit, ReachesTheHardLimit) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
    setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace ome::net
