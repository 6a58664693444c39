// What a service asks for and its map does not hold: nobody has written it yet, or nobody may.
#pragma once

#include "why_facts.hpp"

#include <string>
#include <vector>

namespace ome::kubectl {

/// Drains of the service that are not in force, or are although they have lapsed. `facts` has a
/// map.
[[nodiscard]] std::vector<std::string> drain_lags(const WhyFacts& facts, bool frozen);

/// Drains of the map that the service has no more.
[[nodiscard]] std::vector<std::string> drains_left_behind(const WhyFacts& facts, bool frozen);

/// Homes that the map has otherwise than the service, in one line; empty: none. Of a map that is
/// not frozen.
[[nodiscard]] std::string home_lag(const WhyFacts& facts);

}  // namespace ome::kubectl
