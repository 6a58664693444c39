// A map for people: a row for each home.
#pragma once

#include <ome/core/text_table.hpp>
#include <ome/routing/traffic_map.hpp>

#include <string>
#include <vector>

namespace ome::controller {

[[nodiscard]] core::Row map_table_heading();

/// A row for each entry; of an empty table one row with what its condition Routable says.
[[nodiscard]] std::vector<core::Row> map_table_rows(const routing::TrafficMap& map);

/// Why the weight is not what the replicas alone would make it; the first that applies of the
/// guide's "Why a cluster's weight is zero". Empty when there is nothing to say.
[[nodiscard]] std::string entry_reason(const routing::Entry& entry);

}  // namespace ome::controller
