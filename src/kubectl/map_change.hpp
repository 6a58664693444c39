// What has changed between two states of a map, as lines for people: for `traffic watch`.
#pragma once

#include <ome/routing/traffic_map.hpp>

#include <string>
#include <vector>

namespace ome::kubectl {

/// A line per home or condition that changed: `worker-b 2 -> 0: gated by probe (HTTP 503, 3
/// failures)`. Null: there was, or is, no map. Empty when only stamps changed.
[[nodiscard]] std::vector<std::string> changes_between(const routing::TrafficMap* before,
                                                       const routing::TrafficMap* after);

}  // namespace ome::kubectl
