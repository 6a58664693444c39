// What ome-homesim prints.
#pragma once

#include <string_view>

namespace ome::homesim {

/// The exit code: 1 when standard output did not take it all, which is told on standard error. A
/// reader that left (`| head`) has what it wanted.
[[nodiscard]] int print(std::string_view text);

}  // namespace ome::homesim
