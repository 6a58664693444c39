// Shadow: the annotation `ome-observer/shadow: "true"` has a service observed while its map is made
// as if polling and probing were off. What the readings would do to the weights is explained, so
// that a careful adopter looks before he leaps.
#pragma once

#include <ome/core/policy_resolution.hpp>
#include <ome/core/problem.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ome::routing {

inline constexpr std::string_view shadow_annotation = "ome-observer/shadow";

/// The annotation is `true`. Every other value leaves the service as it is without it.
[[nodiscard]] bool is_shadowed(const InferenceService& service);

/// A value that is neither `true` nor `false`: a slip that people should hear of.
[[nodiscard]] std::optional<core::Problem> shadow_problem(const InferenceService& service);

/// What the observer is asked to do for the service, whether or not it counts.
[[nodiscard]] const core::Policies& observed_policies(const RoutedService& routed);

/// The service as it would be routed without the annotation; `routed` itself where it has none.
[[nodiscard]] RoutedService unshadowed(const RoutedService& routed);

/// `worker-a 2 (now 1), worker-b 0 (now 1)`: the weights that `observations` would give beside
/// those in force. Empty: the service is not in shadow.
[[nodiscard]] std::string shadow_weights(const InferenceService& service,
                                         const RoutedService& routed,
                                         const Observations& observations);

}  // namespace ome::routing
