// The state of a map in one line, and which of two is worse: for `traffic top`.
#pragma once

#include "cluster.hpp"
#include "output.hpp"
#include <ome/core/policy_settings.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ome::kubectl {

/// From the worst to the best.
enum class Health : std::uint8_t {
    NotRoutable,  ///< no home gets traffic
    NoMap,        ///< a service that is to be routed has none
    Frozen,       ///< the controller cannot update the map: its last weights stay
    Unreadable,   ///< the map cannot be understood
    Unpublished,  ///< the route does not follow
    Behind,       ///< the map or the route is of an older generation
    Gated,        ///< a probe holds a home at 0
    Fallback,     ///< a home has no usable capacity report
    Drained,      ///< a drain holds a home at 0
    Fine,
};
[[nodiscard]] std::string_view to_string(Health health);

struct MapState {
    core::ServiceKey key;
    Health health = Health::Fine;
    std::size_t homes = 0;
    std::size_t serving = 0;
    std::size_t gated = 0;
    std::size_t gates_ignored = 0;  ///< of `gated`: all are, and PreserveTraffic keeps the weights
    std::size_t fallback = 0;
    std::size_t drained = 0;
    bool shadow = false;  ///< what is read of the homes has no effect
    std::string published =
        {};                ///< `True`, `False Withdrawn`, `-` when no publisher wrote anything
    std::string why = {};  ///< of the health
};

/// The service of a map.
struct ServiceView {
    const json::value* object = nullptr;  ///< null: it is not known
    std::string unusable = {};            ///< why not, where it is there
};

[[nodiscard]] MapState map_state(const json::value& map,
                                 const ServiceView& service,
                                 const core::RoutingSettings& installation,
                                 core::WallTime now);

/// Of a service without a map; absent: it is not to have one, as far as it tells.
[[nodiscard]] std::optional<MapState> missing_map_state(const json::value& service,
                                                        const core::RoutingSettings& installation);

/// The worst first, then by name.
void sort_worst_first(std::vector<MapState>& states);

[[nodiscard]] std::string state_table(const std::vector<MapState>& states, bool with_namespace);
[[nodiscard]] json::value state_document(const std::vector<MapState>& states, core::WallTime now);

}  // namespace ome::kubectl
