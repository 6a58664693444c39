#include <ome/core/version.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

TEST(Version, TellsTheCommitWhereItIsKnown) {
    EXPECT_EQ(version_text("ome-observer", "1d098b02d7e0"),
              "ome-observer " OME_VERSION " (commit 1d098b02d7e0)");
    EXPECT_EQ(version_text("ome-observer", ""), "ome-observer " OME_VERSION);
}

}  // namespace
}  // namespace ome::core
