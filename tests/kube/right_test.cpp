#include <ome/kube/right.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::kube {
namespace {

std::string told(std::string_view method, std::string_view target) {
    const auto right = right_of(method, target);
    return right ? right->verb + " " + resource_of(*right) + " " + right->ns : "none";
}

TEST(Right, IsThatOfTheRequest) {
    EXPECT_EQ(told("GET", "/api/v1/namespaces/demo/events?limit=500"), "list events demo");
    EXPECT_EQ(told("GET", "/apis/ome.io/v1beta1/trafficmaps?watch=true&resourceVersion=1"),
              "watch trafficmaps.ome.io ");
    EXPECT_EQ(told("GET", "/apis/ome.io/v1beta1/namespaces/demo/trafficmaps/chat"),
              "get trafficmaps.ome.io demo");
    EXPECT_EQ(
        told("PATCH", "/apis/ome.io/v1beta1/namespaces/demo/trafficmaps/chat/status?force=true"),
        "patch trafficmaps/status.ome.io demo");
    EXPECT_EQ(told("POST", "/apis/ome.io/v1beta1/namespaces/demo/trafficmaps?fieldManager=x"),
              "create trafficmaps.ome.io demo");
    EXPECT_EQ(told("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b"),
              "update leases.coordination.k8s.io a");
    EXPECT_EQ(told("DELETE", "/api/v1/namespaces/demo/services/x"), "delete services demo");
}

TEST(Right, ANamespaceIsAnObjectToo) {
    EXPECT_EQ(told("GET", "/api/v1/namespaces"), "list namespaces ");
    EXPECT_EQ(told("GET", "/api/v1/namespaces/demo"), "get namespaces ");
}

TEST(Right, AServerBehindAPathIsOne) {
    EXPECT_EQ(told("GET", "/clusters/one/api/v1/namespaces/demo/services"), "list services demo");
}

TEST(Right, WhatIsAboutNoObjectTakesNone) {
    EXPECT_EQ(told("GET", "/readyz"), "none");
    EXPECT_EQ(told("GET", "/api"), "none");
    EXPECT_EQ(told("GET", "/apis/ome.io/v1beta1"), "none");
}

TEST(Right, OnlyTheAuthorizersRefusalIsALack) {
    Failure failure{Failure::Kind::Refused, "", {}};
    failure.status.code = 403;
    failure.status.message =
        R"(events is forbidden: User "a" cannot create resource "events" in API group "" in the namespace "demo")";
    EXPECT_TRUE(lacks_right(failure));
    failure.status.message = "exceeded quota: pods";
    EXPECT_FALSE(lacks_right(failure));
    failure.status.message = R"(User "a" cannot create resource "events")";
    failure.status.code = 409;
    EXPECT_FALSE(lacks_right(failure));
}

TEST(Right, WhateverTheServerLooksAtLaterShowsIt) {
    for (const unsigned status : {200U, 201U, 404U, 409U, 410U, 422U}) {
        EXPECT_TRUE(shows_right(status)) << status;
    }
    for (const unsigned status : {401U, 403U, 429U, 500U, 503U}) {
        EXPECT_FALSE(shows_right(status)) << status;
    }
}

TEST(Right, IsAskedForWithItsSubresource) {
    const auto asked =
        boost::json::parse(access_review({"patch", "ome.io", "trafficmaps/status", "demo"}));
    EXPECT_EQ(asked.at_pointer("/spec/resourceAttributes"),
              boost::json::parse(R"({"verb":"patch","group":"ome.io","resource":"trafficmaps",
                  "namespace":"demo","subresource":"status"})"));
    EXPECT_TRUE(allows(boost::json::parse(R"({"status":{"allowed":true}})")));
    EXPECT_FALSE(allows(boost::json::parse(R"({"status":{"allowed":false,"denied":true}})")));
    EXPECT_FALSE(allows(boost::json::parse(R"({"status":{}})")));
}

}  // namespace
}  // namespace ome::kube
