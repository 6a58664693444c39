// The one place that reads the clocks of a program.
#pragma once

#include <ome/core/time.hpp>

namespace ome::net {

/// Both clocks, read together.
[[nodiscard]] core::Now read_clock();

/// Monotonic, and goes on while the machine sleeps, which the steady clock does not: for promises
/// that others count on, such as a lease. Not to be mixed with `read_clock().steady`.
[[nodiscard]] core::SteadyTime read_sleepless_clock();

}  // namespace ome::net
