// The table of conditions of contract/publisher-cli.md 1.9, row by row: both conditions to the
// letter, and when it is tried again. How a map comes to each of them is tested in
// publication_cases_test.cpp, publication_step_test.cpp and on an API server.
#include <ome/routing/publication_status.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

namespace ome::test {
namespace {

using routing::Publication;

struct Row {
    Publication what;
    std::string_view published;
    std::string_view reason;
    std::string_view message;
    std::string_view fallback;
    std::string_view fallback_reason;
    std::string_view fallback_message;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.reason;
}

constexpr Row rows[] = {
    {Publication::Transitioning,
     "False",
     "Transitioning",
     "TrafficMap publisher is applying the current plan",
     "Unknown",
     "Transitioning",
     "TrafficMap publisher is applying the current plan"},
    {Publication::Published,
     "True",
     "Published",
     "TrafficMap is published by publisher \"gatewayapi\"",
     "False",
     "Unsupported",
     "The selected publisher does not retain publication plans"},
    {Publication::Withdrawn,
     "False",
     "Withdrawn",
     "TrafficMap publication is withdrawn by publisher \"gatewayapi\"",
     "False",
     "Withdrawn",
     "TrafficMap publication is withdrawn"},
    {Publication::Unpublished,
     "False",
     "Unpublished",
     "TrafficMap source is deleting or has opted out of publication",
     "False",
     "Unpublished",
     "TrafficMap publication fallback is inactive"},
    {Publication::InvalidOwner,
     "False",
     "InvalidOwner",
     "TrafficMap owner identity is invalid or stale",
     "Unknown",
     "InvalidOwner",
     "TrafficMap owner identity is invalid or stale"},
    {Publication::InvalidOptions,
     "False",
     "InvalidOptions",
     "Publisher options are invalid",
     "Unknown",
     "InvalidOptions",
     "Publisher options are invalid"},
    {Publication::InvalidPlan,
     "False",
     "InvalidPlan",
     "Publisher plan is invalid",
     "Unknown",
     "InvalidPlan",
     "Publisher plan is invalid"},
    {Publication::LegacyLifecycleActive,
     "False",
     "LegacyLifecycleActive",
     "Legacy endpoint publisher cleanup is incomplete",
     "Unknown",
     "LegacyLifecycleActive",
     "Legacy endpoint publisher cleanup is incomplete"},
    {Publication::ClaimRejected,
     "False",
     "ClaimRejected",
     "Publisher claims could not be acquired",
     "Unknown",
     "ClaimRejected",
     "Publisher claims could not be acquired"},
    {Publication::DrainFailed,
     "False",
     "DrainFailed",
     "Publisher could not drain stale targets",
     "Unknown",
     "DrainFailed",
     "Publisher could not drain stale targets"},
    {Publication::ApplyFailed,
     "False",
     "ApplyFailed",
     "Publisher could not apply the TrafficMap",
     "Unknown",
     "ApplyFailed",
     "Publisher could not apply the TrafficMap"},
    {Publication::PublisherChanged,
     "False",
     "PublisherChanged",
     "Publisher journal does not match the selected publisher",
     "Unknown",
     "PublisherChanged",
     "Publisher journal does not match the selected publisher"},
    {Publication::Finalizing,
     "False",
     "Finalizing",
     "TrafficMap publisher is removing external state",
     "False",
     "Finalizing",
     "TrafficMap publisher is removing external state"},
    {Publication::Removed,
     "False",
     "Unpublished",
     "TrafficMap publisher state is removed",
     "False",
     "Finalizing",
     "TrafficMap publication fallback is finalized"},
};

class PublicationStatusRow : public testing::TestWithParam<Row> {};

TEST_P(PublicationStatusRow, SaysWhatTheContractSays) {
    const Row& row = GetParam();
    routing::TrafficMap map;
    map.meta.generation = 5;
    map.status.observed_traffic_map_generation = 4;
    map.status.gateway_ref = routing::GatewayRef{"g", "HTTPRoute", "prod", "chat-global"};
    const routing::PublicationPlan plan{.source = {"prod", "chat"},
                                        .route = {routing::ObjectKind::HttpRoute, "prod", "chat"}};
    const routing::PublicationStatus status =
        routing::publication_status(map, row.what, &plan, {1'790'000'000, 0});
    ASSERT_EQ(status.conditions.size(), 2U);
    const routing::Condition& published = status.conditions[0];
    const routing::Condition& fallback = status.conditions[1];
    EXPECT_EQ(published.type, "Published");
    EXPECT_EQ(published.status, row.published);
    EXPECT_EQ(published.reason, row.reason);
    EXPECT_EQ(published.message, row.message);
    EXPECT_EQ(fallback.type, "PublicationFallback");
    EXPECT_EQ(fallback.status, row.fallback);
    EXPECT_EQ(fallback.reason, row.fallback_reason);
    EXPECT_EQ(fallback.message, row.fallback_message);
    for (const routing::Condition& condition : status.conditions) {
        EXPECT_EQ(condition.observed_generation, 5) << "that of this pass";
    }
}

// Contract 1.10: the fields beside the conditions.
TEST_P(PublicationStatusRow, HasTheFieldsOfItsColumn) {
    const Publication what = GetParam().what;
    routing::TrafficMap map;
    map.meta.generation = 5;
    map.status.observed_traffic_map_generation = 4;
    map.status.gateway_ref = routing::GatewayRef{"g", "HTTPRoute", "prod", "chat-global"};
    map.status.publisher = routing::PublisherState{};
    map.status.publisher->publisher_name = "gatewayapi";
    map.status.publisher->claimed_targets = {"v1:httproute:prod/old"};
    const routing::PublicationPlan plan{.source = {"prod", "chat"},
                                        .route = {routing::ObjectKind::HttpRoute, "prod", "chat"}};
    const routing::PublicationStatus status =
        routing::publication_status(map, what, &plan, {1'790'000'000, 0});
    const bool success = what == Publication::Published;
    const bool withdrawn = what == Publication::Withdrawn;
    const bool removed = what == Publication::Removed;
    EXPECT_EQ(status.published, success);
    EXPECT_EQ(status.observed_generation, removed ? 0 : success || withdrawn ? 5 : 4);
    EXPECT_EQ(status.gateway_ref.has_value(), !withdrawn && !removed);
    ASSERT_EQ(status.publisher.has_value(), !removed);
    if (removed) {
        return;
    }
    const auto& claims = status.publisher->claimed_targets;
    const bool claims_now = success || withdrawn || what == Publication::Transitioning;
    EXPECT_EQ(claims.size(), claims_now ? 2U : 1U);
    EXPECT_EQ(claims.back(), "v1:httproute:prod/old") << "a claim is never dropped";
    EXPECT_EQ(!status.publisher->observed_options_digest.empty(), success || withdrawn);
}

INSTANTIATE_TEST_SUITE_P(AllRows,
                         PublicationStatusRow,
                         testing::ValuesIn(rows),
                         [](const testing::TestParamInfo<Row>& tested) {
                             return tested.param.what == Publication::Removed
                                        ? std::string("Removed")
                                        : std::string(tested.param.reason);
                         });

TEST(PublicationStatus, ATableOfTheContractHasNoOtherRows) {
    EXPECT_EQ(std::size(rows), static_cast<std::size_t>(Publication::Removed) + 1);
}

}  // namespace
}  // namespace ome::test
