#include "publication_cases.hpp"

#include <gtest/gtest.h>

namespace ome::test {
namespace {

TEST(OwnerCheck, IsAsTheExamplesSay) {
    std::size_t seen = 0;
    for (const json::object& example : cases_of("trafficmap.json", "conditions")) {
        const json::object& input = example.at("input").as_object();
        if (input.at("op") != json::value("publisher_owner_check")) {
            continue;
        }
        ++seen;
        SCOPED_TRACE(std::string(example.at("name").as_string()));
        PublicationBench bench;
        bench.run();
        bench.map.spec.observed_isvc_generation = input.at("mapObservedISVCGeneration").as_int64();
        bench.service.generation = input.at("isvcGeneration").as_int64();
        const auto before = bench.map.status;
        const auto verdict = bench.run();
        ASSERT_TRUE(verdict);
        const routing::Condition& published =
            *routing::find_condition(bench.map.status, "Published");
        const routing::Condition& fallback =
            *routing::find_condition(bench.map.status, "PublicationFallback");
        const bool invalid = verdict->what == routing::Publication::InvalidOwner;
        for (const auto& [key, expected] : example.at("expect").as_object()) {
            const std::string name(key);
            if (name == "type") {
                EXPECT_EQ(json::value(published.type), expected);
            } else if (name == "status") {
                EXPECT_EQ(json::value(published.status), expected);
            } else if (name == "reason") {
                EXPECT_EQ(json::value(published.reason), expected);
            } else if (name == "message") {
                EXPECT_EQ(json::value(published.message), expected);
            } else if (name == "keepsGatewayRef") {
                EXPECT_EQ(json::value(bench.map.status.gateway_ref == before.gateway_ref),
                          expected);
            } else if (name == "keepsObservedTrafficMapGeneration") {
                EXPECT_EQ(json::value(bench.map.status.observed_traffic_map_generation ==
                                      before.observed_traffic_map_generation),
                          expected);
            } else if (name == "invalidOwner") {
                EXPECT_EQ(json::value(invalid), expected);
            } else if (name == "publicationFallback") {
                EXPECT_EQ(json::value({{"status", fallback.status}, {"reason", fallback.reason}}),
                          expected);
            } else {
                ADD_FAILURE() << "unknown key " << name;
            }
        }
    }
    EXPECT_GT(seen, 0U);
}

TEST(OwnerCheck, NamesTheFirstThatDoesNotFit) {
    const PublicationBench bench;
    routing::TrafficMap map = bench.map;
    EXPECT_EQ(routing::owner_verdict(map, &bench.service), std::nullopt);
    const auto absent = routing::owner_verdict(map, nullptr);
    EXPECT_EQ(absent->retry, routing::Retry::Backoff);
    EXPECT_EQ(absent->why.message, "read InferenceService prod/chat: not found");

    map.status.source_uid.clear();
    EXPECT_EQ(
        routing::owner_verdict(map, &bench.service)->why.message,
        "TrafficMap prod/chat has status.sourceUID \"\", the InferenceService is \"isvc-uid\"");
    map.spec.service = "other";
    EXPECT_EQ(routing::owner_verdict(map, &bench.service)->why.message,
              "TrafficMap prod/chat has spec.service \"other\"");
    map.meta.owner_references.clear();
    EXPECT_EQ(
        routing::owner_verdict(map, &bench.service)->why.message,
        "TrafficMap prod/chat has no controller that is an InferenceService with name and UID");
}

}  // namespace
}  // namespace ome::test
