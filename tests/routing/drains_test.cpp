#include <ome/routing/drains.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

std::string error_of(const std::string& annotation) {
    const auto drains = parse_drains(annotation);
    return drains ? "accepted" : drains.error().message;
}

TEST(Drains, AbsentAnnotationIsNoDrain) {
    EXPECT_TRUE(parse_drains(std::nullopt).value().empty());
}

TEST(Drains, EmptyAnnotationIsAnError) {
    EXPECT_EQ(error_of(""), "decode top-level object: EOF");
}

}  // namespace
}  // namespace ome::routing
