#include "routing/publication_cases.hpp"
#include <ome/wire/status_apply.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

namespace json = boost::json;

std::vector<routing::Condition> conditions(const json::value& types) {
    std::vector<routing::Condition> made;
    for (const json::value& type : types.as_array()) {
        made.push_back({.type = std::string(type.as_string()),
                        .status = "True",
                        .reason = "R",
                        .message = "m"});
    }
    return made;
}

TEST(StatusApply, IsAsTheExamplesSay) {
    std::size_t seen = 0;
    for (const json::object& example : test::cases_of("trafficmap.json", "conditions")) {
        const json::object& input = example.at("input").as_object();
        if (input.at("op") != json::value("status_apply")) {
            continue;
        }
        ++seen;
        SCOPED_TRACE(std::string(example.at("name").as_string()));
        routing::ObjectMeta meta;
        meta.key = {"prod", "chat"};
        meta.resource_version = std::string(input.at("resourceVersion").as_string());
        const StatusApply apply =
            routing_status_apply(meta,
                                 std::string_view(input.at("sourceUID").as_string()),
                                 conditions(input.at("liveConditions")));
        json::array types;
        for (const json::value& one : apply.body.at("status").at("conditions").as_array()) {
            types.push_back(one.at("type"));
        }
        json::array keys;
        for (const auto& [name, value] : apply.body.at("status").as_object()) {
            keys.emplace_back(name);
        }
        const json::object made{
            {"fieldManager", apply.field_manager},
            {"force", apply.force},
            {"subresource", apply.subresource},
            {"resourceVersion", apply.body.at("metadata").at("resourceVersion")},
            {"statusKeys", std::move(keys)},
            {"conditionTypes", std::move(types)}};
        EXPECT_EQ(json::value(made), example.at("expect"));
    }
    EXPECT_GT(seen, 0U);
}

// As a folder has them, and as all tools of Kubernetes write them.
TEST(StatusApply, TimesOfConditionsHaveWholeSeconds) {
    const StatusApply apply =
        routing_status_apply({},
                             "u",
                             {{.type = "Routable",
                               .status = "True",
                               .reason = "R",
                               .message = "m",
                               .last_transition_time = {1'790'589'600, 987'000'000}}});
    EXPECT_EQ(apply.body.at("status").at("conditions").at(0).at("lastTransitionTime"),
              "2026-09-28T10:00:00Z");
}

TEST(StatusApply, OfThePublisherAlwaysSaysPublishedAndNothingOfOthers) {
    routing::TrafficMap map;
    map.meta.key = {"prod", "chat"};
    map.meta.resource_version = "9";
    map.status.source_uid = "u";
    const auto status =
        routing::publication_status(map, routing::Publication::InvalidPlan, nullptr, {});
    const StatusApply apply = publisher_status_apply(map.meta, status);
    EXPECT_EQ(apply.field_manager, "ome-trafficmap-publisher");
    const json::object& body = apply.body.at("status").as_object();
    EXPECT_EQ(body.at("published"), json::value(false));
    EXPECT_EQ(body.at("observedTrafficMapGeneration"), json::value(0));
    EXPECT_FALSE(body.contains("sourceUID"));
    EXPECT_EQ(body.at("conditions").as_array().size(), 2U);
    EXPECT_EQ(publisher_status_patch(map, status), std::nullopt);
}

TEST(StatusApply, OfAFallSaysBooleanAndConditionsTogetherFirst) {
    routing::TrafficMap map;
    map.meta.resource_version = "9";
    map.status.published = true;
    map.status.gateway_ref = routing::GatewayRef{"g", "k", "n", "m"};
    map.status.conditions = {
        {.type = "Routable", .status = "True", .reason = "Routable", .message = ""}};
    const auto status =
        routing::publication_status(map, routing::Publication::Removed, nullptr, {});
    const auto patch = publisher_status_patch(map, status);
    ASSERT_TRUE(patch);
    EXPECT_EQ(patch->at("metadata").at("resourceVersion"), json::value("9"));
    EXPECT_EQ(patch->at("status").at("published"), json::value(false));
    EXPECT_TRUE(patch->at("status").at("gatewayRef").is_null());
    EXPECT_EQ(patch->at("status").at("conditions").as_array().size(), 3U);
}

// An apply would leave what somebody else has written as well.
TEST(StatusApply, TakesTheJournalAwayWhoeverWroteIt) {
    routing::TrafficMap map;
    map.status.published = false;
    map.status.publisher = routing::PublisherState{};
    const auto status =
        routing::publication_status(map, routing::Publication::Removed, nullptr, {});
    const auto patch = publisher_status_patch(map, status);
    ASSERT_TRUE(patch);
    ASSERT_TRUE(patch->at("status").as_object().contains("publisher"));
    EXPECT_TRUE(patch->at("status").at("publisher").is_null());
    EXPECT_FALSE(patch->at("status").as_object().contains("gatewayRef"));
}

}  // namespace
}  // namespace ome::wire
