#include <ome/routing/publication_reservations.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

const core::ServiceKey a{"demo", "a"};
const core::ServiceKey b{"demo", "b"};

PublicationStep claim(const std::string& target) {
    PublicationStep step;
    step.status.emplace();
    step.status->publisher.emplace();
    step.status->publisher->claimed_targets = {target};
    return step;
}

PublicationStep host(const std::string& name, const std::string& gateway) {
    PublicationStep step;
    step.hostname = {name, {"gateways", gateway}};
    return step;
}

TEST(PublicationReservations, ATargetIsOneMaps) {
    PublicationReservations all;
    EXPECT_TRUE(all.take(a, claim("v1:httproute:demo/x")));
    EXPECT_FALSE(all.take(b, claim("v1:httproute:demo/x")));
    EXPECT_TRUE(all.take(b, claim("v1:httproute:demo/y")));
    EXPECT_TRUE(all.take(a, claim("v1:httproute:demo/x"))) << "it has it already";
    EXPECT_TRUE(all.release(a));
    EXPECT_FALSE(all.release(a)) << "nothing is left";
    EXPECT_TRUE(all.take(b, claim("v1:httproute:demo/x")));
}

TEST(PublicationReservations, AHostnameIsOneMapsOnEachGateway) {
    PublicationReservations all;
    EXPECT_TRUE(all.take(a, host("www.example.com", "global")));
    EXPECT_FALSE(all.take(b, host("www.example.com", "global")));
    EXPECT_TRUE(all.take(b, host("www.example.com", "inner")));
    EXPECT_TRUE(all.take(b, host("*.example.com", "global")));
}

TEST(PublicationReservations, WhoGetsNotAllGetsNothing) {
    PublicationReservations all;
    EXPECT_TRUE(all.take(a, claim("taken")));
    PublicationStep both = claim("taken");
    both.status->publisher->claimed_targets.push_back("free");
    EXPECT_FALSE(all.take(b, both));
    EXPECT_FALSE(all.release(b));
    EXPECT_TRUE(all.take(a, claim("free")));
}

TEST(PublicationReservations, AStepThatTakesNothingIsFree) {
    PublicationReservations all;
    EXPECT_TRUE(all.take(a, {}));
    EXPECT_FALSE(all.release(a));
}

}  // namespace
}  // namespace ome::routing
