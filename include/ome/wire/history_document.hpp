// The last attempts of a home, as the JSON of `GET .../history` (design.md section 4).
#pragma once

#include <ome/core/fleet.hpp>

#include <string>

namespace ome::wire {

/// Appends
/// `{"cluster","attempts":[{"time","kind","result","outcome","reason","status","ms":{...}}]}`. What
/// an attempt did not come to is left out; `outcome` is core::Fault in words.
void append_history(std::string& out, const core::HomeHistory& history);

}  // namespace ome::wire
