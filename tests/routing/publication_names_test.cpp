#include <ome/routing/publication_plan.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

TEST(PublicationNames, OfRoutesFitIntoALabel) {
    for (const std::string& name :
         {std::string("chat"), std::string("9"), std::string(200, '9'), std::string(58, 'x')}) {
        const std::string bounded = bounded_name(name + "-global");
        EXPECT_LE(bounded.size(), 63U) << bounded;
        EXPECT_TRUE(bounded.front() >= 'a' && bounded.front() <= 'z') << bounded;
        EXPECT_TRUE(bounded.ends_with("-global")) << bounded;
    }
}

TEST(PublicationNames, OfClaimsReadBack) {
    const ObjectKey route{ObjectKind::HttpRoute, "prod", "chat-global"};
    const std::string claim = claim_of(route);
    EXPECT_EQ(claim, "v1:httproute:prod/chat-global");
    EXPECT_EQ(*route_of_claim(claim), route);
}

TEST(PublicationNames, RefuseStrangeClaims) {
    EXPECT_EQ(route_of_claim("v2:httproute:a/b").error().message,
              "target \"v2:httproute:a/b\" has an unsupported claim version or kind");
    EXPECT_EQ(route_of_claim("v1:httproute:a").error().message,
              "target \"v1:httproute:a\" must contain exactly one namespace/name separator");
    EXPECT_EQ(route_of_claim("v1:httproute:a/b/c").error().message,
              "target \"v1:httproute:a/b/c\" must contain exactly one namespace/name separator");
    EXPECT_EQ(route_of_claim("v1:httproute:A/b").error().message,
              "target \"v1:httproute:A/b\" is not canonical");
    EXPECT_EQ(routes_of_claims({"v1:httproute:a/b", "v1:httproute:a/b"}).error().message,
              "target \"v1:httproute:a/b\" appears more than once");
}

}  // namespace
}  // namespace ome::routing
