// Deadlines: durations come from settings and manifests, and may be as long as 292 years.
#pragma once

#include <ome/core/time.hpp>

namespace ome::core {

/// `at + by`, or the end of the clock where that does not fit. `+` would put such a deadline into
/// the past, where it is due again and again (tools/check_layers.py).
[[nodiscard]] SteadyTime later(SteadyTime at, Duration by);

/// The first multiple of `grid` (which is positive) that is not before `at`, or the end of the
/// clock.
[[nodiscard]] SteadyTime next_on_grid(SteadyTime at, Duration grid);

}  // namespace ome::core
