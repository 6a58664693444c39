#include <ome/kube/resource.hpp>

#include <gtest/gtest.h>

namespace ome::kube {
namespace {

TEST(Resource, NamesItsApiVersion) {
    EXPECT_EQ(traffic_maps.api_version(), "ome.io/v1beta1");
    EXPECT_EQ(events.api_version(), "v1");
}

TEST(Resource, KnowsWhereItsObjectsAre) {
    EXPECT_EQ(collection_path(traffic_maps, ""), "/apis/ome.io/v1beta1/trafficmaps");
    EXPECT_EQ(collection_path(events, "demo"), "/api/v1/namespaces/demo/events");
    EXPECT_EQ(object_path(traffic_maps, "demo", "chat"),
              "/apis/ome.io/v1beta1/namespaces/demo/trafficmaps/chat");
    EXPECT_EQ(object_path(traffic_maps, "demo", "chat", "status"),
              "/apis/ome.io/v1beta1/namespaces/demo/trafficmaps/chat/status");
    EXPECT_EQ(object_path(namespaces, "", "demo"), "/api/v1/namespaces/demo");
    EXPECT_EQ(object_path(gateways, "infra", "global"),
              "/apis/gateway.networking.k8s.io/v1/namespaces/infra/gateways/global");
}

TEST(Resource, EscapesWhatWouldEndAPartOfAUrl) {
    EXPECT_EQ(url_escaped("a-b.c_d~9"), "a-b.c_d~9");
    EXPECT_EQ(url_escaped("a/b?c=d&e f"), "a%2Fb%3Fc%3Dd%26e%20f");
    EXPECT_EQ(url_escaped("\xc3\xa4"), "%C3%A4");
    EXPECT_EQ(object_path(events, "../x", "y"), "/api/v1/namespaces/..%2Fx/events/y");
}

}  // namespace
}  // namespace ome::kube
