// One pass over a service, as values: whether it is routed, with which policies and drains, and the
// map that follows (contract/trafficmap.md 9.1 steps 4 to 10). Nothing here waits, reads a clock or
// writes; the controller, `render` and the tests call the same functions.
#pragma once

#include <ome/core/policy_resolution.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/drains.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/observation.hpp>
#include <ome/routing/traffic_map.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ome::routing {

/// Valid settings of one service, in force.
struct RoutedService {
    core::Policies policies;
    std::vector<Drain> drains;
    /// What is observed and does not count, while the service is in shadow (shadow.hpp); `policies`
    /// has none then.
    std::optional<core::Policies> shadow = {};
};

/// Steps 4 to 6. A problem freezes the map; its message is the whole log line of the contract
/// (`validate placement intent: ...`). Absent: the service is not routed (routing off, opted out,
/// ineligible) and its map is reaped.
[[nodiscard]] core::Result<std::optional<RoutedService>> admit(
    const InferenceService& service, const core::RoutingSettings& installation);

/// The homes that the observer is to observe, in entry order; empty while not Placed.
struct Home {
    std::string cluster;
    std::string endpoint;
    std::int32_t admitted = 0;
    std::int32_t ready = 0;
    bool withdrawn = false;  ///< by the plan: `drainRequested`
    /// Why it cannot be observed, in the words of core::canonicalize; empty: it can.
    std::string target_problem = {};
};

/// Only then there are homes.
[[nodiscard]] bool placed(const InferenceService& service);
[[nodiscard]] std::vector<Home> serving_homes(const InferenceService& service);

/// Not a derived copy, and placed by this service's own declaration (contract 9.1, "Eligible").
[[nodiscard]] bool eligible(const InferenceService& service);

/// The service may opt out; it cannot opt in where the installation is off.
[[nodiscard]] bool routing_enabled(const core::RoutingSettings& installation,
                                   const std::optional<core::ServiceRoutingSettings>& service);

/// The first broken rule of contract 1.4, without the prefix `validate placement intent: `.
[[nodiscard]] std::optional<core::Problem> placement_intent_problem(
    const InferenceService& service);

/// What `Routable` will say, before the map is stored (contract 8.1).
struct RoutableVerdict {
    bool routable = false;
    std::string reason;

    friend bool operator==(const RoutableVerdict&, const RoutableVerdict&) = default;
};

struct Plan {
    TrafficMapSpec spec;
    RoutableVerdict verdict;
};

/// Steps 9 and 10 without their writes. A home that `observations` does not name counts as
/// unobserved: no probe, and `no capacity report yet` where polling is on.
[[nodiscard]] Plan build_plan(const InferenceService& service,
                              const RoutedService& routed,
                              const Observations& observations);

/// The same for who has serving_homes() already.
[[nodiscard]] Plan build_plan(const InferenceService& service,
                              std::vector<Home> homes,
                              const RoutedService& routed,
                              const Observations& observations);

/// One condition each, without generation and transition time.
[[nodiscard]] Condition routable_condition(const RoutableVerdict& verdict, std::size_t entries);
[[nodiscard]] Condition capacity_fallback_condition(const TrafficMapSpec& stored,
                                                    bool polling_enabled);
[[nodiscard]] Condition override_condition(const TrafficMapSpec& stored,
                                           const std::vector<Drain>& drains);

/// The three conditions of the routing controller for a map whose stored spec is `stored`, in the
/// order Routable, CapacityFallback, OverrideActive; `before` are the map's conditions so far, for
/// the transition times (contract 8.4).
[[nodiscard]] std::vector<Condition> routing_conditions(const TrafficMapSpec& stored,
                                                        std::int64_t map_generation,
                                                        const RoutableVerdict& verdict,
                                                        const RoutedService& routed,
                                                        const std::vector<Condition>& before,
                                                        core::WallTime now);

/// `desired` with its transition time: that of the condition of its type in `before` unless the
/// status differs, else `now`, in whole seconds.
[[nodiscard]] Condition with_transition(Condition desired,
                                        const std::vector<Condition>& before,
                                        core::WallTime now);

/// Conditions of the same meaning replaced in place, new ones appended; foreign types stay.
[[nodiscard]] std::vector<Condition> merged_conditions(const std::vector<Condition>& before,
                                                       const std::vector<Condition>& ours);

/// How two specs differ, for the decision whether and when to write (D15).
enum class Difference : std::uint8_t {
    None,        ///< equal in meaning: quantities by value, times in whole seconds
    TimesAlone,  ///< only lastProbeTime, or failure counts that are past the threshold
    Substance,
};
[[nodiscard]] Difference difference(const TrafficMapSpec& stored,
                                    const TrafficMapSpec& wanted,
                                    const core::Policies& policies);

/// The series `ome_trafficmap_capacity_fallback_homes` of a written spec.
[[nodiscard]] std::int64_t fallback_homes(const TrafficMapSpec& spec);

}  // namespace ome::routing
