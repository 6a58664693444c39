// What keeps a map or its route from being what the service asks for, beyond single clusters.
#pragma once

#include "cluster.hpp"
#include "why_facts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ome::kubectl {

/// The worst first. `object`: the map, which `facts` must have, as it was read.
[[nodiscard]] std::vector<std::string> problems_of(const WhyFacts& facts,
                                                   const json::value& object,
                                                   const core::RoutingSettings& installation);

/// Why there is no map, as far as the service tells. `error`: of reading it.
[[nodiscard]] std::string why_unrouted(const routing::InferenceService& service,
                                       const core::RoutingSettings& installation,
                                       const ClusterError& error);

/// What freezes the map of this service, in the words of the controller's log; absent: nothing that
/// can be told from the objects.
[[nodiscard]] std::optional<std::string> frozen_reason(const routing::InferenceService& service,
                                                       const routing::TrafficMap* map,
                                                       const core::RoutingSettings& installation);

}  // namespace ome::kubectl
