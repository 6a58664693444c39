#include <ome/routing/published_object.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

PublishedObject full_route() {
    PublishedObject object;
    object.meta.key = {"prod", "chat-global"};
    object.meta.uid = "u";
    object.meta.resource_version = "7";
    object.meta.labels = {{"team", "a"}};
    object.meta.annotations = {{"note", "long"}};
    object.meta.finalizers = {"f"};
    object.spec =
        HttpRouteSpec{.parents = {{"infra", "global"}},
                      .hostnames = {"chat.example.com"},
                      .backends = {{.service = "s", .ns = "prod", .port = 80, .weight = 1}}};
    object.route_status = {{"controller", {"infra", "global"}, {}}};
    return object;
}

TEST(PublishedObject, OfAForeignRouteItsPlaceAndItsHostnamesAreUsed) {
    PublishedObject object = full_route();
    drop_unused(object);
    EXPECT_EQ(object.key(), full_route().key());
    EXPECT_EQ(object.meta.uid, "u");
    EXPECT_EQ(object.meta.resource_version, "7");
    EXPECT_TRUE(object.meta.labels.empty());
    EXPECT_TRUE(object.meta.annotations.empty());
    EXPECT_TRUE(object.meta.finalizers.empty());
    EXPECT_TRUE(object.route_status.empty());
    EXPECT_EQ(
        object.spec,
        ObjectSpec(HttpRouteSpec{
            .parents = {{"infra", "global"}}, .hostnames = {"chat.example.com"}, .backends = {}}));
    EXPECT_EQ(source_of(object.meta), std::nullopt);
}

TEST(PublishedObject, OfOneOfOursAllButNotesIsUsed) {
    PublishedObject object = full_route();
    object.meta.labels.merge(source_labels({"prod", "chat"}));
    PublishedObject expected = object;
    expected.meta.annotations.clear();
    drop_unused(object);
    EXPECT_EQ(object, expected);
}

}  // namespace
}  // namespace ome::routing
