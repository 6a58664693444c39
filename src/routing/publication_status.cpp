#include <ome/core/policy_rules.hpp>
#include <ome/core/sha256.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/publication_status.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ome::routing {
namespace {

constexpr std::string_view gateway_group = "gateway.networking.k8s.io";

struct Row {
    std::string_view reason;
    bool published;
    std::string_view message;
    std::string_view fallback_status;
    std::string_view fallback_reason;   ///< empty: the reason
    std::string_view fallback_message;  ///< empty: the message
};

// In the order of Publication.
constexpr std::array<Row, 14> table{{
    {"Transitioning",
     false,
     "TrafficMap publisher is applying the current plan",
     "Unknown",
     {},
     {}},
    {"Published",
     true,
     "TrafficMap is published by publisher \"gatewayapi\"",
     "False",
     "Unsupported",
     "The selected publisher does not retain publication plans"},
    {"Withdrawn",
     false,
     "TrafficMap publication is withdrawn by publisher \"gatewayapi\"",
     "False",
     {},
     "TrafficMap publication is withdrawn"},
    {"Unpublished",
     false,
     "TrafficMap source is deleting or has opted out of publication",
     "False",
     {},
     "TrafficMap publication fallback is inactive"},
    {"InvalidOwner", false, "TrafficMap owner identity is invalid or stale", "Unknown", {}, {}},
    {"InvalidOptions", false, "Publisher options are invalid", "Unknown", {}, {}},
    {"InvalidPlan", false, "Publisher plan is invalid", "Unknown", {}, {}},
    {"LegacyLifecycleActive",
     false,
     "Legacy endpoint publisher cleanup is incomplete",
     "Unknown",
     {},
     {}},
    {"ClaimRejected", false, "Publisher claims could not be acquired", "Unknown", {}, {}},
    {"DrainFailed", false, "Publisher could not drain stale targets", "Unknown", {}, {}},
    {"ApplyFailed", false, "Publisher could not apply the TrafficMap", "Unknown", {}, {}},
    {"PublisherChanged",
     false,
     "Publisher journal does not match the selected publisher",
     "Unknown",
     {},
     {}},
    {"Finalizing", false, "TrafficMap publisher is removing external state", "False", {}, {}},
    {"Unpublished",
     false,
     "TrafficMap publisher state is removed",
     "False",
     "Finalizing",
     "TrafficMap publication fallback is finalized"},
}};

const Row& row_of(Publication what) {
    return table.at(static_cast<std::size_t>(what));
}

std::vector<Condition> conditions_of(const TrafficMap& map, Publication what, core::WallTime now) {
    const Row& row = row_of(what);
    const auto either = [](std::string_view first, std::string_view second) {
        return std::string(first.empty() ? second : first);
    };
    std::vector<Condition> conditions{{.type = "Published",
                                       .status = row.published ? "True" : "False",
                                       .reason = std::string(row.reason),
                                       .message = std::string(row.message)},
                                      {.type = "PublicationFallback",
                                       .status = std::string(row.fallback_status),
                                       .reason = either(row.fallback_reason, row.reason),
                                       .message = either(row.fallback_message, row.message)}};
    for (Condition& condition : conditions) {
        condition.observed_generation = map.meta.generation;
        condition = with_transition(std::move(condition), map.status.conditions, now);
    }
    return conditions;
}

// A journal without claims of another publisher is nobody's.
PublisherState journal_with(const TrafficMap& map, const PublicationPlan& plan) {
    PublisherState journal;
    if (map.status.publisher && map.status.publisher->publisher_name == core::built_in_publisher) {
        journal = *map.status.publisher;
    }
    journal.publisher_name = core::built_in_publisher;
    journal.claimed_targets = claim_union(map, plan.route);
    return journal;
}

}  // namespace

std::string_view reason_of(Publication what) {
    return row_of(what).reason;
}

bool is_failure(Publication what) {
    switch (what) {
        case Publication::Transitioning:
        case Publication::Published:
        case Publication::Withdrawn:
        case Publication::Unpublished:
        case Publication::Removed:
            return false;
        default:
            return true;
    }
}

std::string_view failure_line(Publication what) {
    return what == Publication::Finalizing ? "TrafficMap publisher finalization failed"
                                           : "TrafficMap publisher reconciliation failed";
}

PublicationStatus publication_status(const TrafficMap& map,
                                     Publication what,
                                     const PublicationPlan* plan,
                                     core::WallTime now) {
    PublicationStatus status{.published = row_of(what).published,
                             .observed_generation = map.status.observed_traffic_map_generation,
                             .gateway_ref = map.status.gateway_ref,
                             .publisher = map.status.publisher,
                             .conditions = conditions_of(map, what, now)};
    const bool done = what == Publication::Published || what == Publication::Withdrawn;
    if (plan != nullptr && (done || what == Publication::Transitioning)) {
        status.publisher = journal_with(map, *plan);
    }
    if (plan != nullptr && done) {
        status.observed_generation = map.meta.generation;
        status.publisher->observed_options_digest = options_digest(core::built_in_publisher);
        status.gateway_ref.reset();
        if (what == Publication::Published) {
            status.gateway_ref = GatewayRef{std::string(gateway_group),
                                            std::string(to_string(ObjectKind::HttpRoute)),
                                            plan->route.ns,
                                            plan->route.name};
        }
    }
    if (what == Publication::Removed) {
        status.observed_generation = 0;
        status.gateway_ref.reset();
        status.publisher.reset();
    }
    return status;
}

bool differs(const TrafficMap& map, const PublicationStatus& wanted) {
    TrafficMapStatus after = map.status;
    apply(after, wanted);
    return !(after == map.status);
}

void apply(TrafficMapStatus& status, const PublicationStatus& wanted) {
    status.published = wanted.published;
    status.observed_traffic_map_generation = wanted.observed_generation;
    status.gateway_ref = wanted.gateway_ref;
    status.publisher = wanted.publisher;
    status.conditions = merged_conditions(status.conditions, wanted.conditions);
}

const Condition* find_condition(const TrafficMapStatus& status, std::string_view type) {
    const auto found = std::find_if(status.conditions.begin(),
                                    status.conditions.end(),
                                    [type](const auto& one) { return one.type == type; });
    return found == status.conditions.end() ? nullptr : &*found;
}

std::string options_digest(std::string_view publisher) {
    return "sha256:" + core::sha256_hex(fmt::format(
                           R"({{"version":"v1","publisher":"{}","options":{{}}}})", publisher));
}

std::vector<std::string> claim_union(const TrafficMap& map, const ObjectKey& route) {
    std::vector<std::string> claims;
    if (map.status.publisher && map.status.publisher->publisher_name == core::built_in_publisher) {
        claims = map.status.publisher->claimed_targets;
    }
    claims.push_back(claim_of(route));
    std::sort(claims.begin(), claims.end());
    claims.erase(std::unique(claims.begin(), claims.end()), claims.end());
    return claims;
}

}  // namespace ome::routing
