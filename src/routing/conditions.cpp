// The conditions of the routing controller (contract/trafficmap.md 8).
#include <ome/routing/traffic_pass.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ome::routing {
namespace {

Condition condition(std::string type, bool holds, std::string reason, std::string message) {
    return {.type = std::move(type),
            .status = holds ? "True" : "False",
            .reason = std::move(reason),
            .message = std::move(message)};
}

std::string routable_message(const RoutableVerdict& verdict, std::size_t entries) {
    const std::string& reason = verdict.reason;
    if (reason == "NotPlaced") {
        return "InferenceService is not Placed; no homes to route to yet";
    }
    if (reason == "NoAddressableHome") {
        return "placed, but no admitted home reports an addressable endpoint";
    }
    if (reason == "TrafficDrain") {
        return fmt::format("manual traffic-drain overrides set all {} route arm(s) to zero",
                           entries);
    }
    if (reason == "AllHomesUnready") {
        return fmt::format(
            "{} home(s) addressable but none has ready replicas; all route weights "
            "are zero",
            entries);
    }
    if (reason == "NoRoutableCapacity") {
        return fmt::format(
            "{} home(s) addressable but none has positive routable capacity; all "
            "route weights are zero",
            entries);
    }
    if (reason == "AllHomesProbeFailed") {
        return fmt::format("{} home(s) have conclusive probe failures; {}",
                           entries,
                           verdict.routable ? "preserving traffic among homes with ready capacity"
                                            : "all route weights are zero");
    }
    return fmt::format("{} home(s) serving", entries);
}

const Condition* find(const std::vector<Condition>& conditions, const std::string& type) {
    const auto found =
        std::find_if(conditions.begin(), conditions.end(), [&](const Condition& condition) {
            return condition.type == type;
        });
    return found == conditions.end() ? nullptr : &*found;
}

}  // namespace

Condition routable_condition(const RoutableVerdict& verdict, std::size_t entries) {
    return condition(
        "Routable", verdict.routable, verdict.reason, routable_message(verdict, entries));
}

Condition capacity_fallback_condition(const TrafficMapSpec& stored, bool polling_enabled) {
    const std::int64_t fallbacks = fallback_homes(stored);
    const std::size_t homes = stored.entries.size();
    if (!polling_enabled) {
        return condition("CapacityFallback",
                         false,
                         "CapacityPollingDisabled",
                         "endpoint capacity polling is disabled");
    }
    if (homes == 0) {
        return condition("CapacityFallback",
                         false,
                         "NoCapacityTargets",
                         "no addressable homes require endpoint capacity");
    }
    if (fallbacks == 0) {
        return condition("CapacityFallback",
                         false,
                         "EndpointCapacityAvailable",
                         fmt::format("endpoint capacity is available for all {} home(s)", homes));
    }
    return condition("CapacityFallback",
                     true,
                     "EndpointCapacityUnavailable",
                     fmt::format("{} of {} home(s) are using control-plane capacity; inspect "
                                 "spec.entries[].capacity.fallbackReason",
                                 fallbacks,
                                 homes));
}

Condition override_condition(const TrafficMapSpec& stored, const std::vector<Drain>& drains) {
    std::set<std::string_view> applied;
    std::int64_t arms = 0;
    for (const Entry& entry : stored.entries) {
        applied.insert(entry.drain_refs.begin(), entry.drain_refs.end());
        arms += entry.drain_refs.empty() ? 0 : 1;
    }
    if (!applied.empty()) {
        return condition("OverrideActive",
                         true,
                         "OverridesApplied",
                         fmt::format("{} of {} traffic-drain annotation override(s) active across "
                                     "{} route arm(s); inspect spec.entries[].drainRefs",
                                     applied.size(),
                                     drains.size(),
                                     arms));
    }
    if (!drains.empty()) {
        return condition("OverrideActive",
                         false,
                         "OverridesPending",
                         fmt::format("{} traffic-drain annotation override(s) pending; no matching "
                                     "routable arm",
                                     drains.size()));
    }
    return condition("OverrideActive",
                     false,
                     "NoOverrides",
                     "no traffic-drain annotation override is configured");
}

std::vector<Condition> routing_conditions(const TrafficMapSpec& stored,
                                          std::int64_t map_generation,
                                          const RoutableVerdict& verdict,
                                          const RoutedService& routed,
                                          const std::vector<Condition>& before,
                                          core::WallTime now) {
    std::vector<Condition> conditions = {
        routable_condition(verdict, stored.entries.size()),
        capacity_fallback_condition(stored, routed.policies.capacity.has_value()),
        override_condition(stored, routed.drains),
    };
    for (Condition& ours : conditions) {
        ours.observed_generation = map_generation;
        ours = with_transition(std::move(ours), before, now);
    }
    return conditions;
}

Condition with_transition(Condition desired,
                          const std::vector<Condition>& before,
                          core::WallTime now) {
    const Condition* old = find(before, desired.type);
    const bool kept = old != nullptr && old->status == desired.status;
    desired.last_transition_time = kept ? old->last_transition_time : core::WallTime{now.seconds};
    return desired;
}

std::vector<Condition> merged_conditions(const std::vector<Condition>& before,
                                         const std::vector<Condition>& ours) {
    std::vector<Condition> merged = before;
    for (Condition& condition : merged) {
        if (const Condition* newer = find(ours, condition.type)) {
            condition = *newer;
        }
    }
    for (const Condition& condition : ours) {
        if (find(before, condition.type) == nullptr) {
            merged.push_back(condition);
        }
    }
    return merged;
}

std::int64_t fallback_homes(const TrafficMapSpec& spec) {
    return std::count_if(spec.entries.begin(), spec.entries.end(), [](const Entry& entry) {
        return !entry.capacity.fallback_reason.empty();
    });
}

}  // namespace ome::routing
