// A TrafficMap as a line of `get trafficmaps` (contract/publisher-cli.md 2.1).
#pragma once

#include "output.hpp"

#include <boost/json/value.hpp>

namespace ome::kubectl {

/// `with_namespace`: NAMESPACE comes first; `wide`: eight more columns.
struct MapColumns {
    bool with_namespace = false;
    bool wide = false;
};

[[nodiscard]] TextRow map_header(MapColumns columns);
[[nodiscard]] TextRow map_row(const boost::json::value& map,
                              MapColumns columns,
                              core::WallTime now);

}  // namespace ome::kubectl
