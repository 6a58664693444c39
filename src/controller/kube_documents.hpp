// What is sent to an API server for a decision about a map, as texts. Pure.
#pragma once

#include "store.hpp"
#include <ome/routing/traffic_map.hpp>

#include <string>

namespace ome::controller {

/// A new map: one owner, the spec, nothing else (contract 9.2).
[[nodiscard]] std::string map_to_create(const MapWrite& write);

/// A merge patch that makes the spec this one whatever it was, on the condition that the map is
/// still the one the decision was made on.
[[nodiscard]] std::string spec_patch(const MapWrite& write);

/// `stored` with what follows from its own spec: source UID and conditions (contract 8.4).
[[nodiscard]] routing::TrafficMap with_status(const routing::TrafficMap& stored,
                                              const MapWrite& write);

/// A JSON patch of the service that takes lapsed drains off, on the condition that both annotations
/// are still what the decision was made on.
[[nodiscard]] std::string lapse_patch(const DrainLapse& lapse);

}  // namespace ome::controller
