// What people want to be told of a map that was written: which gates closed and lifted, which
// ceilings were lost and came back, which drains came and went.
#pragma once

#include <ome/routing/traffic_map.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

struct MapChange {
    bool warning = false;
    /// GateClosed, GateLifted, CeilingLost, CeilingBack, DrainApplied or DrainRemoved.
    std::string_view reason;
    std::string message;  ///< names the homes; of what came from outside only what is harmless
};

/// In the order above, one for each kind, so that an outage of many homes is one event. `before`:
/// empty for a map that was created. A home that is gone is no change of its gate, ceiling or
/// drains, and one that has not reported yet has not lost its ceiling.
[[nodiscard]] std::vector<MapChange> map_changes(const TrafficMapSpec& before,
                                                 const TrafficMapSpec& after);

}  // namespace ome::routing
