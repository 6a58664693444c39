// The one place of the observer that reads the clocks.
#pragma once

#include <ome/core/time.hpp>

namespace ome::observer {

/// Both clocks, read together.
[[nodiscard]] core::Now read_clock();

}  // namespace ome::observer
