// The one place that reads the clocks of a program.
#pragma once

#include <ome/core/time.hpp>

namespace ome::net {

/// Both clocks, read together.
[[nodiscard]] core::Now read_clock();

}  // namespace ome::net
