// Why an entry has weight 0, told from the entry alone: the rows of the guide "Traffic map", "Why a
// cluster's weight is zero", in their order; the first that fits counts.
#pragma once

#include <ome/routing/traffic_map.hpp>

#include <cstdint>
#include <string_view>

namespace ome::routing {

enum class ZeroWeight : std::uint8_t {
    Serving,         ///< the weight is not 0
    Drained,         ///< a drain holds it, whatever its capacity
    NotReady,        ///< no ready replica, or the copy is not IngressReady
    ReportsNothing,  ///< the cluster reports that it can serve nothing
    NotAdmitted,     ///< placement admitted no replica
    Gated,           ///< by the probe
    Withdrawn,       ///< by the placement plan; no row of the guide, told by the service's status
    Unexplained,     ///< none of these: the entry and its weight do not fit together
};
[[nodiscard]] std::string_view to_string(ZeroWeight why);

/// `withdrawn`: the service's plan asks for the drain of this home.
[[nodiscard]] ZeroWeight zero_weight(const Entry& entry, bool withdrawn);

}  // namespace ome::routing
