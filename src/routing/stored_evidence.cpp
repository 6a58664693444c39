#include <ome/core/duration.hpp>
#include <ome/core/policy_resolution.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/routing/stored_evidence.hpp>

#include <algorithm>

namespace ome::routing {
namespace {

bool was_polled(const Entry& entry) {
    return entry.capacity.reported || !entry.capacity.fallback_reason.empty();
}

bool is_conclusive(const EntryProbe& probe) {
    return probe.gated || probe.result != core::ProbeResult::Unknown;
}

// Preserving shows as Routable in spite of it, draining as not Routable because of it.
core::AllFailedPolicy shown_policy(const TrafficMap& map) {
    const auto drains = [](const Condition& condition) {
        return condition.type == "Routable" && condition.status == "False" &&
               condition.reason == "AllHomesProbeFailed";
    };
    const auto& conditions = map.status.conditions;
    return std::any_of(conditions.begin(), conditions.end(), drains)
               ? core::AllFailedPolicy::Drain
               : core::AllFailedPolicy::PreserveTraffic;
}

}  // namespace

Observations stored_observations(const TrafficMap& map) {
    Observations observations;
    for (const Entry& entry : map.spec.entries) {
        HomeObservation& home = observations[entry.cluster];
        if (was_polled(entry)) {
            home.capacity = {entry.capacity.reported, entry.capacity.fallback_reason};
        }
        if (entry.probe) {
            home.probe = {*entry.probe, is_conclusive(*entry.probe)};
        }
    }
    return observations;
}

core::RoutingSettings assumed_installation() {
    const core::ObserverLimits limits = core::chart_limits();
    core::RoutingSettings settings;
    settings.enabled = true;
    settings.observer = {.max_concurrent_reconciles = limits.max_concurrent_reconciles,
                         .max_concurrent_requests = limits.max_concurrent_requests,
                         .max_response_bytes = limits.max_response_bytes,
                         .min_period = core::format_duration(limits.min_period),
                         .max_samples = limits.max_samples};
    return settings;
}

RoutedService with_stored_policies(RoutedService routed, const TrafficMap& map) {
    const auto& entries = map.spec.entries;
    if (!routed.policies.capacity && std::any_of(entries.begin(), entries.end(), was_polled)) {
        routed.policies.capacity = core::unchecked_policy(core::CapacitySettings{});
    }
    const bool probed = std::any_of(
        entries.begin(), entries.end(), [](const Entry& entry) { return entry.probe.has_value(); });
    if (!routed.policies.probe && probed) {
        routed.policies.probe = core::unchecked_policy(core::ProbeSettings{});
        routed.policies.probe->all_failed_policy = shown_policy(map);
    }
    return routed;
}

}  // namespace ome::routing
