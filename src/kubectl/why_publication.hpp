// What is wrong with the route of a map, told by what the publisher recorded of it.
#pragma once

#include "why_facts.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace ome::kubectl {

/// Absent: nothing is, or nobody is to publish the map. `object`: the map of `facts`, as read.
[[nodiscard]] std::optional<std::string> route_problem(const WhyFacts& facts,
                                                       const boost::json::value& object);

/// A publication that was withdrawn, whatever the map has become since: there is no route, and none
/// is asked for until the configuration names a gateway.
[[nodiscard]] bool nothing_to_publish(const routing::TrafficMap& map);

}  // namespace ome::kubectl
