// The last attempts of a home, as the JSON of `GET .../history` (design.md section 4).
#pragma once

#include <ome/core/fleet.hpp>

#include <string>

namespace ome::wire {

/// Appends `{"cluster","attempts":[{"time","kind","result","status","ms":{...}}]}`. What an attempt
/// did not come to is left out.
void append_history(std::string& out, const core::HomeHistory& history);

}  // namespace ome::wire
