// What a stored TrafficMap says of its homes, as the observations that a pass would have: so that
// an explanation can be made of a map and its service alone, without the observer.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/routing/traffic_pass.hpp>

namespace ome::routing {

[[nodiscard]] Observations stored_observations(const TrafficMap& map);

/// The installation's settings for those who do not know them: routing is on, limits are the
/// chart's, and nothing is polled or probed unless a service says so itself.
[[nodiscard]] core::RoutingSettings assumed_installation();

/// `routed` with the policies that the map proves to be in force although the settings that were
/// known do not name them. Of such a policy only that it is there is known: its thresholds are 0,
/// and what happens when all homes fail is what the map shows.
[[nodiscard]] RoutedService with_stored_policies(RoutedService routed, const TrafficMap& map);

}  // namespace ome::routing
