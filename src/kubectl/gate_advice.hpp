// What would open the gate of a home, by what its last probe said. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ome::kubectl {

/// A line each. `message`: of the probe, ours or that of OME's own controller.
[[nodiscard]] std::vector<std::string> what_opens_the_gate(std::string_view message);

}  // namespace ome::kubectl
