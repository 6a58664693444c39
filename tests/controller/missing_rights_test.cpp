#include "missing_rights.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* maps = "/apis/ome.io/v1beta1/namespaces/demo/trafficmaps";

class MissingRightsTest : public testing::Test {
protected:
    MissingRights::Change refuse(const std::string& method,
                                 const std::string& target,
                                 const std::string& words = R"(User "u" cannot do resource "x")") {
        kube::Failure failure{kube::Failure::Kind::Refused, "HTTP 403: " + words, {}};
        failure.status.code = 403;
        failure.status.message = words;
        return rights.heard(method, target, 403, &failure, now);
    }
    MissingRights::Change grant(const std::string& method, const std::string& target) {
        return rights.heard(method, target, 200, nullptr, now);
    }
    std::vector<std::string> needed() {
        std::vector<std::string> all;
        for (const MissingRight& right : rights.needed(now.steady)) {
            all.push_back(spoken(right));
        }
        return all;
    }

    MissingRights rights{true};
    core::Now now{.steady = core::SteadyTime(1h), .wall = {1'790'000'000, 0}};
};

TEST_F(MissingRightsTest, ARefusalIsToldOnceWithWhatItHinders) {
    const auto change = refuse("POST", maps);
    ASSERT_TRUE(change.missing);
    EXPECT_EQ(spoken(*change.missing), "create trafficmaps.ome.io in namespace demo");
    EXPECT_EQ(change.missing->hinders, "no new map can be made");
    EXPECT_THAT(change.missing->problem, HasSubstr("HTTP 403"));
    EXPECT_FALSE(refuse("POST", maps).missing) << "it is known";
    EXPECT_THAT(needed(), testing::ElementsAre("create trafficmaps.ome.io in namespace demo"));
}

TEST_F(MissingRightsTest, WhatIsDoneIsAllowedAgain) {
    refuse("POST", maps);
    EXPECT_FALSE(grant("GET", maps).back) << "another verb";
    EXPECT_FALSE(grant("POST", "/apis/ome.io/v1beta1/namespaces/other/trafficmaps").back);
    const auto change = grant("POST", maps);
    ASSERT_TRUE(change.back);
    EXPECT_EQ(spoken(*change.back), "create trafficmaps.ome.io in namespace demo");
    EXPECT_TRUE(needed().empty());
}

TEST_F(MissingRightsTest, AnOwnerThatMayNotBeHeldIsARightOfItsOwn) {
    const auto change =
        refuse("POST",
               maps,
               "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't "
               "set finalizers on");
    ASSERT_TRUE(change.missing);
    EXPECT_EQ(spoken(*change.missing),
              "update inferenceservices/finalizers.ome.io in namespace demo");
    EXPECT_TRUE(grant("POST", maps).back);
    EXPECT_TRUE(needed().empty());
}

TEST_F(MissingRightsTest, WhoPublishesNothingNeedsNoRightsOfThePublisher) {
    const std::string routes = "/apis/gateway.networking.k8s.io/v1/httproutes?limit=500";
    rights = MissingRights(false);
    const auto change = refuse("GET", routes);
    ASSERT_TRUE(change.missing);
    EXPECT_FALSE(change.needed);
    EXPECT_TRUE(needed().empty());
    rights = MissingRights(true);
    EXPECT_TRUE(refuse("GET", routes).needed);
    EXPECT_THAT(
        needed(),
        testing::ElementsAre("list httproutes.gateway.networking.k8s.io in all namespaces"));
}

TEST_F(MissingRightsTest, ALeadThatIsOverLacksNothingButItsLease) {
    refuse("POST", maps);
    refuse("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b");
    rights.lead_ended();
    EXPECT_THAT(needed(), testing::ElementsAre("update leases.coordination.k8s.io in namespace a"));
}

TEST_F(MissingRightsTest, WhatNothingShowsAnyMoreIsForgotten) {
    refuse("POST", maps);
    now.steady += MissingRights::forgotten_after - 1ns;
    EXPECT_EQ(needed().size(), 1U);
    refuse("POST", maps);
    now.steady += MissingRights::forgotten_after - 1ns;
    EXPECT_EQ(needed().size(), 1U) << "it has been refused since";
    now.steady += 1ns;
    EXPECT_TRUE(needed().empty());
}

TEST_F(MissingRightsTest, ThereIsABoundOfThem) {
    for (std::size_t n = 0; n < 2 * MissingRights::most; ++n) {
        refuse("POST", fmt::format("/api/v1/namespaces/n{}/events", n));
    }
    EXPECT_EQ(needed().size(), MissingRights::most);
}

TEST_F(MissingRightsTest, WithoutSomeOfThemThereIsNoWork) {
    EXPECT_TRUE(refuse("GET", maps).missing->blocks);
    EXPECT_TRUE(
        refuse("GET", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b").missing->blocks);
    EXPECT_FALSE(refuse("DELETE", std::string(maps) + "/chat").missing->blocks);
}

}  // namespace
}  // namespace ome::controller
