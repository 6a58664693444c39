// What the Gateway says of a published route, as `traffic why` tells it.
#pragma once

#include "cluster.hpp"

#include <optional>
#include <string>

namespace ome::kubectl {

struct GatewayWord {
    std::string text;                         ///< for everybody to see
    std::optional<std::string> problem = {};  ///< something is wrong with the route
};

/// The route that a map says is published; absent: it says none.
[[nodiscard]] std::optional<core::ServiceKey> route_of(const json::value& map);

/// `route`: the HTTPRoute, or why it cannot be read, which is not for everybody.
[[nodiscard]] GatewayWord gateway_word(const core::ServiceKey& key,
                                       const Answer<json::value>& route);

}  // namespace ome::kubectl
