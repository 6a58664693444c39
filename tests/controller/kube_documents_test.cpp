#include "kube_documents.hpp"

#include "controller/reconciler_fixture.hpp"
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

namespace json = boost::json;

constexpr core::WallTime now{1'790'000'000, 0};

MapWrite write_of(routing::TrafficMapSpec spec) {
    const auto service =
        std::make_shared<const routing::InferenceService>(test::routed_service("chat"));
    return {.key = service->key,
            .precondition = {.uid = "map-uid", .resource_version = "7"},
            .service = service,
            .routed = std::make_shared<const routing::RoutedService>(),
            .spec = std::move(spec),
            .verdict = {.routable = true, .reason = "Routable"},
            .now = now};
}

routing::TrafficMapSpec small_spec() {
    routing::TrafficMapSpec spec;
    spec.service = "chat";
    spec.mode = "Split";
    spec.observed_isvc_generation = 1;
    spec.entries.push_back({.cluster = "a", .endpoint = "http://a", .weight = 1, .healthy = true});
    return spec;
}

routing::TrafficMap stored_map() {
    routing::TrafficMap map;
    map.meta.key = {"demo", "chat"};
    map.meta.uid = "map-uid";
    map.meta.resource_version = "8";
    map.meta.generation = 3;
    map.spec = small_spec();
    map.status.conditions.push_back({"Published", "True", "Published", "", now, 2});
    return map;
}

TEST(KubeDocuments, ANewMapHasOneOwnerAndNoStatus) {
    const json::value object = json::parse(map_to_create(write_of(small_spec())));
    EXPECT_EQ(object.at_pointer("/metadata/ownerReferences/0/uid").as_string(), "uid-chat");
    EXPECT_EQ(object.at_pointer("/metadata/ownerReferences/0/controller").as_bool(), true);
    EXPECT_EQ(object.at_pointer("/spec/entries/0/cluster").as_string(), "a");
    const json::object& meta = object.at("metadata").as_object();
    for (const char* absent : {"resourceVersion", "finalizers", "labels", "annotations"}) {
        EXPECT_EQ(meta.if_contains(absent), nullptr) << absent;
    }
}

TEST(KubeDocuments, APatchOfTheSpecNamesWhatIsNotThere) {
    routing::TrafficMapSpec empty;
    empty.service = "chat";
    const json::value patch = json::parse(spec_patch(write_of(empty)));
    EXPECT_EQ(patch.at("metadata"), json::parse(R"({"uid":"map-uid","resourceVersion":"7"})"));
    EXPECT_EQ(patch.at("spec"), json::parse(R"({"service":"chat","mode":null,"entries":null,
                                "observedISVCGeneration":null,"placementPlanID":null})"));
    const json::value full = json::parse(spec_patch(write_of(small_spec())));
    EXPECT_EQ(full.at_pointer("/spec/mode").as_string(), "Split");
    EXPECT_EQ(full.as_object().if_contains("status"), nullptr);
}

TEST(KubeDocuments, AStatusFollowsFromTheStoredMap) {
    routing::TrafficMapSpec decided = small_spec();
    decided.entries.clear();  // somebody was in between: what is stored counts
    const routing::TrafficMap map = with_status(stored_map(), write_of(decided));
    EXPECT_EQ(map.spec, stored_map().spec);
    EXPECT_EQ(map.meta, stored_map().meta);
    EXPECT_EQ(map.status.source_uid, "uid-chat");
    ASSERT_EQ(map.status.conditions.size(), 4U) << "the publisher's stays";
    EXPECT_EQ(map.status.conditions[1].observed_generation, 3);
}

}  // namespace
}  // namespace ome::controller
