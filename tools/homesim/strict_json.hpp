// JSON as a value, without members that are named twice in one object: a library keeps one of them,
// and something else than what was written would be simulated.
#pragma once

#include <ome/core/problem.hpp>

#include <boost/json/value.hpp>

#include <string_view>

namespace ome::homesim {

struct StrictJson {
    bool is_json = false;  ///< with a problem: it is, and names something twice
    core::Result<boost::json::value> value;
};

[[nodiscard]] StrictJson parse_strictly(std::string_view text);

}  // namespace ome::homesim
