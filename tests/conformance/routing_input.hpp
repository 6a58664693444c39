// What the operations of routing/ read from the cases alike.
#pragma once

#include "registry.hpp"
#include <ome/routing/observation.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <initializer_list>
#include <string_view>

namespace ome::conformance {

/// Fails the case when an object inside the input has a member that nobody looks at.
void require_only(const json::object& object, std::initializer_list<std::string_view> known);

[[nodiscard]] core::WallTime stamp_of(const json::value& value);
[[nodiscard]] std::int32_t count_of(const json::object& object, std::string_view name);

/// Absent: not there, or null.
[[nodiscard]] const json::value* present(const json::object& object, std::string_view name);

[[nodiscard]] routing::InferenceService service_of(const json::value& isvc);

/// A service whose homes are the members of `homes` ({cluster, allocated, ready, factor, reported,
/// reachable}), and what was observed of them.
struct Situation {
    routing::InferenceService service;
    routing::RoutedService routed;
    routing::Observations observed;
};
[[nodiscard]] Situation situation_of_homes(const json::object& input);

/// `isvc` with `probePolicy`, `probeState`, `capacityPolicyEnabled`, `capacityState`, `overrides`.
[[nodiscard]] Situation situation_of_service(const json::object& input);

/// `status`, `reason` and `message`, as far as `expect` asks for them.
[[nodiscard]] json::object shown(const routing::Condition& condition, const json::object& expect);

/// The members of `object` that `expect` has too.
[[nodiscard]] json::object narrowed(json::object object, const json::value& expect);

[[nodiscard]] json::array overrides_of(const std::vector<routing::Drain>& drains);

}  // namespace ome::conformance
