#include "kube_publication_documents.hpp"

#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

namespace json = boost::json;
using routing::ObjectKind;

constexpr ObjectKind kinds[] = {ObjectKind::HttpRoute,
                                ObjectKind::Service,
                                ObjectKind::EndpointSlice,
                                ObjectKind::BackendTlsPolicy};

routing::ObjectMeta meta_with(std::vector<std::string> finalizers) {
    routing::ObjectMeta meta;
    meta.uid = "u";
    meta.resource_version = "7";
    meta.finalizers = std::move(finalizers);
    return meta;
}

TEST(KubePublicationDocuments, AKindIsAskedForAsItIsWritten) {
    for (const ObjectKind kind : kinds) {
        EXPECT_EQ(resource_of(kind).api_version(), wire::api_version_of(kind));
        EXPECT_EQ(resource_of(kind).kind, routing::to_string(kind));
    }
    EXPECT_EQ(target_of({ObjectKind::Service, "prod", "tmb-1"}),
              "/api/v1/namespaces/prod/services/tmb-1");
    EXPECT_EQ(target_of({ObjectKind::BackendTlsPolicy, "prod", "tmb-1"}),
              "/apis/gateway.networking.k8s.io/v1/namespaces/prod/backendtlspolicies/tmb-1");
}

TEST(KubePublicationDocuments, AnItemOfAListSaysNoKind) {
    const auto read = read_stored(ObjectKind::Service, json::parse(R"({"metadata":
        {"namespace":"prod","name":"tmb-1","uid":"u","resourceVersion":"7","labels":{
        "ome.io/managed-by":"placement-endpoint","ome.io/placement-endpoint-isvc":"chat",
        "ome.io/placement-endpoint-isvc-namespace":"prod"},"annotations":{"a":"b"}},
        "spec":{"type":"ExternalName","externalName":"a.example.com",
        "ports":[{"port":443,"protocol":"TCP","targetPort":443}],"sessionAffinity":"None"}})"));
    ASSERT_TRUE(read) << read.error().message;
    const routing::PublishedObject& service = **read;
    EXPECT_EQ(service.kind(), ObjectKind::Service);
    EXPECT_EQ(service.meta.uid, "u");
    EXPECT_TRUE(routing::belongs_to(service.meta, {"prod", "chat"}));
    EXPECT_TRUE(service.meta.annotations.empty()) << "nobody looks at them";
    EXPECT_FALSE(service.foreign_parts) << "only what the server fills in is there besides";
    EXPECT_EQ(service.spec, routing::ObjectSpec(routing::ServiceSpec{"a.example.com", 443}));
}

TEST(KubePublicationDocuments, WhatIsNoObjectHasAProblem) {
    EXPECT_FALSE(read_stored(ObjectKind::HttpRoute, json::parse(R"([1])")));
    EXPECT_FALSE(read_stored(ObjectKind::HttpRoute, json::parse(R"({"metadata":{},"spec":1})")));
}

TEST(KubePublicationDocuments, TheFinalizerIsOneOfSeveral) {
    const json::value put = json::parse(finalizer_patch(meta_with({"a", "b"}), true));
    EXPECT_EQ(put.at("metadata"), json::parse(R"({"uid":"u","resourceVersion":"7",
        "finalizers":["a","b","ome.io/trafficmap-publisher"]})"));
    const json::value taken =
        json::parse(finalizer_patch(meta_with({"ome.io/trafficmap-publisher", "b"}), false));
    EXPECT_EQ(taken.at_pointer("/metadata/finalizers"), json::parse(R"(["b"])"));
    const json::value twice =
        json::parse(finalizer_patch(meta_with({"ome.io/trafficmap-publisher"}), true));
    EXPECT_EQ(twice.at_pointer("/metadata/finalizers").as_array().size(), 1U);
}

TEST(KubePublicationDocuments, AnObjectIsOverWhenNothingHoldsIt) {
    routing::ObjectMeta meta = meta_with({});
    EXPECT_FALSE(is_over(meta));
    meta.deletion_timestamp = core::WallTime{1'790'000'000, 0};
    EXPECT_TRUE(is_over(meta));
    meta.finalizers = {"a"};
    EXPECT_FALSE(is_over(meta));
}

TEST(KubePublicationDocuments, AnObjectIsTheOneDecidedOnByIdentityAndVersion) {
    EXPECT_TRUE(is_current(meta_with({}), "u", "7"));
    EXPECT_FALSE(is_current(meta_with({}), "v", "7")) << "another of the same name";
    EXPECT_FALSE(is_current(meta_with({}), "u", "6"));
}

}  // namespace
}  // namespace ome::controller
