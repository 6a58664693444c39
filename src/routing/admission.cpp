// Whether a service is routed, and with which settings (contract/trafficmap.md 1.4, 9.1, 10.3).
#include <ome/core/duration.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/routing/shadow.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ome::routing {
namespace {

constexpr std::string_view cluster_affinity = "ClusterAffinity";
constexpr std::array<std::string_view, 4> modes = {"Single", "All", "Split", "SplitByCapacity"};

core::Problem in_stage(std::string_view stage, const core::Problem& problem) {
    return {fmt::format("{}: {}", stage, problem.message), problem.field};
}

// Of a plan that was accepted and of a policy that no longer asks for one.
std::optional<core::Problem> orphaned_plan(const InferenceService& service) {
    const bool planned = service.status && service.status->plan;
    if (!planned || (service.placement && service.placement->policy == cluster_affinity)) {
        return std::nullopt;
    }
    return core::Problem{
        "an accepted placement plan requires spec.placement.policy: ClusterAffinity",
        "spec.placement.policy"};
}

std::optional<core::Problem> obsolete_annotation(const InferenceService& service) {
    if (!service.has_accelerator_requirements && !service.has_cluster_selector) {
        return std::nullopt;
    }
    const std::string_view key = service.has_accelerator_requirements
                                     ? "ome.io/accelerator-requirements"
                                     : "ome.io/cluster-selector";
    return core::Problem{
        fmt::format("annotation {} is unsupported; declare spec.placement.mode and migrate "
                    "restrictions to clusterAffinity",
                    key),
        fmt::format("metadata.annotations[{}]", key)};
}

bool replacement_timeout_misplaced(const PlacementIntent& intent) {
    if (!intent.replacement_timeout) {
        return false;
    }
    const auto timeout = core::parse_duration(*intent.replacement_timeout);
    return !timeout || *timeout <= core::Duration::zero() || intent.mode != "Single";
}

// The rules in the order of the contract; `broken` of the first that is true wins.
std::optional<core::Problem> intent_problem(const PlacementIntent& intent) {
    struct Row {
        bool broken;
        std::string_view field;
        std::string_view rule;
    };
    const bool splits = intent.mode == "Split" || intent.mode == "SplitByCapacity";
    const PlacementIntent::Split split = intent.split.value_or(PlacementIntent::Split{});
    const std::array<Row, 6> rows = {{
        {intent.policy != cluster_affinity, "policy", "must explicitly select ClusterAffinity"},
        {std::find(modes.begin(), modes.end(), intent.mode) == modes.end(),
         "mode",
         "must explicitly select Single, All, Split, or SplitByCapacity"},
        {replacement_timeout_misplaced(intent),
         "replacementTimeout",
         "must be positive and is permitted only for Single"},
        {intent.split && !splits, "split", "is permitted only for Split and SplitByCapacity"},
        {split.replicas.value_or(1) <= 0, "split.replicas", "must be positive when specified"},
        {split.max_replicas_per_cluster.value_or(0) < 0,
         "split.maxReplicasPerCluster",
         "must be nonnegative"},
    }};
    for (const Row& row : rows) {
        if (row.broken) {
            const std::string field = fmt::format("spec.placement.{}", row.field);
            return core::Problem{fmt::format("{} {}", field, row.rule), field};
        }
    }
    return std::nullopt;
}

// Step 6: placement intent, routing block, drains, probe policy, capacity policy.
core::Result<RoutedService> checked(const InferenceService& service,
                                    const core::RoutingSettings& installation) {
    const core::ServiceRoutingSettings* own = service.routing ? &*service.routing : nullptr;
    if (const auto problem = placement_intent_problem(service)) {
        return in_stage("validate placement intent", *problem);
    }
    if (const auto problem = own ? core::shape_problem(*own) : std::nullopt) {
        return in_stage("validate routing policy", *problem);
    }
    core::Result<std::vector<Drain>> drains = parse_drains(service.drains);
    if (!drains) {
        return in_stage("parse ome.io/traffic-drain", drains.error());
    }
    auto probe = core::resolve_probe(installation, own);
    if (!probe) {
        return in_stage("resolve probe policy", probe.error());
    }
    auto capacity = core::resolve_capacity(installation, own);
    if (!capacity) {
        return in_stage("resolve capacity policy", capacity.error());
    }
    core::Policies policies{std::move(*probe), std::move(*capacity)};
    if (is_shadowed(service)) {
        return RoutedService{{}, std::move(*drains), std::move(policies)};
    }
    return RoutedService{std::move(policies), std::move(*drains)};
}

}  // namespace

bool eligible(const InferenceService& service) {
    return !service.derived_copy && (service.placement || service.has_accelerator_requirements ||
                                     service.has_cluster_selector);
}

bool routing_enabled(const core::RoutingSettings& installation,
                     const std::optional<core::ServiceRoutingSettings>& service) {
    return installation.enabled.value_or(false) && (!service || service->enabled.value_or(true));
}

std::optional<core::Problem> placement_intent_problem(const InferenceService& service) {
    if (auto problem = orphaned_plan(service)) {
        return problem;
    }
    if (auto problem = obsolete_annotation(service)) {
        return problem;
    }
    return service.placement ? intent_problem(*service.placement) : std::nullopt;
}

core::Result<std::optional<RoutedService>> admit(const InferenceService& service,
                                                 const core::RoutingSettings& installation) {
    if (service.deleting) {
        return std::optional<RoutedService>();
    }
    if (auto problem = orphaned_plan(service)) {
        return *problem;
    }
    if (!routing_enabled(installation, service.routing) || !eligible(service)) {
        return std::optional<RoutedService>();
    }
    core::Result<RoutedService> routed = checked(service, installation);
    if (!routed) {
        return routed.error();
    }
    return std::optional(std::move(*routed));
}

}  // namespace ome::routing
