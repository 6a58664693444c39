#include <ome/core/path_pattern.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

constexpr std::string_view service = "/v1/services/{namespace}/{name}";

TEST(PathPattern, NamesSegmentsOrLeavesThemOpen) {
    EXPECT_TRUE(fits_pattern(service, {"v1", "services", "prod", "chat"}));
    EXPECT_TRUE(fits_pattern(service, {"v1", "services", "a/b", ""}));
    EXPECT_FALSE(fits_pattern(service, {"v2", "services", "prod", "chat"}));
    EXPECT_FALSE(fits_pattern(service, {"v1", "services", "prod"}));
    EXPECT_FALSE(fits_pattern(service, {"v1", "services", "prod", "chat", "history"}));
    EXPECT_FALSE(fits_pattern(service, {}));
}

TEST(PathPattern, HasARoot) {
    EXPECT_TRUE(fits_pattern("/", {}));
    EXPECT_FALSE(fits_pattern("/", {"metrics"}));
    EXPECT_TRUE(fits_pattern("/metrics", {"metrics"}));
    EXPECT_FALSE(fits_pattern("/metrics", {}));
}

}  // namespace
}  // namespace ome::core
