#include "support/publication_bench.hpp"
#include <ome/routing/publication_world.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

PublishedObject route(const std::string& ns, const std::string& hostname) {
    PublishedObject made;
    made.meta.key = {ns, "r"};
    made.spec =
        HttpRouteSpec{.parents = {{"gw", "global"}}, .hostnames = {hostname}, .backends = {}};
    return made;
}

TEST(PublicationWorld, ForgetsWhatARouteNoLongerLists) {
    PublicationWorld world;
    world.put(route("web", "a.example.com"));
    const ObjectKey ours{ObjectKind::HttpRoute, "prod", "chat-global"};
    EXPECT_NE(world.same_hostname(ours, "a.example.com", {"gw", "global"}), nullptr);
    EXPECT_EQ(world.same_hostname(ours, "a.example.com", {"gw", "other"}), nullptr);
    world.put(route("web", "b.example.com"));
    EXPECT_EQ(world.same_hostname(ours, "a.example.com", {"gw", "global"}), nullptr);
    world.erase(route("web", "").key());
    EXPECT_EQ(world.same_hostname(ours, "b.example.com", {"gw", "global"}), nullptr);
}

TEST(PublicationWorld, KnowsObjectsByTheirThreeLabels) {
    PublicationWorld world;
    const core::ServiceKey chat{"prod", "chat"};
    PublishedObject object = route("edge", "x");
    object.meta.labels = source_labels(chat);
    world.put(object);
    ASSERT_EQ(world.owned_by(chat).size(), 1U);
    object.meta.labels.erase(std::string(managed_by_label));
    world.put(object);
    EXPECT_TRUE(world.owned_by(chat).empty());
}

TEST(PublicationWorld, FindsClaimsOfOthersAndForgetsThemWithTheirMap) {
    PublicationWorld world;
    auto map = std::make_shared<TrafficMap>();
    map->meta.key = {"prod", "other"};
    map->status.publisher = test::journal("gatewayapi", {"v1:httproute:a/b"});
    world.put(std::shared_ptr<const TrafficMap>(map));
    EXPECT_TRUE(world.claim_conflict({"prod", "chat"}, {"v1:httproute:a/b"}));
    EXPECT_FALSE(world.claim_conflict({"prod", "other"}, {"v1:httproute:a/b"}));
    EXPECT_FALSE(world.claim_conflict({"prod", "chat"}, {"v1:httproute:a/c"}));
    world.erase_map({"prod", "other"});
    EXPECT_FALSE(world.claim_conflict({"prod", "chat"}, {"v1:httproute:a/b"}));
}

TEST(PublicationWorld, CountsLegacyServicesOnce) {
    PublicationWorld world;
    auto service = std::make_shared<InferenceService>();
    service->key = {"prod", "x"};
    service->finalizers = {std::string(legacy_finalizer)};
    world.put(std::shared_ptr<const InferenceService>(service));
    world.put(std::shared_ptr<const InferenceService>(service));
    EXPECT_EQ(world.legacy_services(), 1U);
    world.erase_service(service->key);
    EXPECT_EQ(world.legacy_services(), 0U);
}

}  // namespace
}  // namespace ome::routing
