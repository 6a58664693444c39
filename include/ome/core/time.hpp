// Time as this project speaks of it. Nothing in core/ reads a clock: every function that needs the
// time takes it as an argument.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace ome::core {

/// All durations, in nanoseconds; the range of an int64 (about 292 years).
using Duration = std::chrono::nanoseconds;

/// An instant on the monotonic clock. Deadlines and the rhythm of attempts use it, so that a step
/// of the wall clock moves neither.
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// An instant of civil time (UTC). Ages, expiry and stamps use it. Not a chrono time_point: a
/// reporter may send any year from 0 to 9999, which an int64 of nanoseconds cannot hold.
struct WallTime {
    std::int64_t seconds = 0;      ///< since 1970-01-01T00:00:00Z, may be negative
    std::int32_t nanoseconds = 0;  ///< 0 to 999,999,999, counted forward from `seconds`

    friend auto operator<=>(const WallTime&, const WallTime&) = default;
};

/// Exact; saturates in seconds only beyond what any valid stamp can reach.
[[nodiscard]] WallTime operator+(WallTime at, Duration by);

/// The signed distance, clamped to the range of Duration.
[[nodiscard]] Duration operator-(WallTime later, WallTime earlier);

/// Both clocks, read together by the caller. `steady` decides when things are due, `wall` decides
/// what is old.
struct Now {
    SteadyTime steady;
    WallTime wall;
};

}  // namespace ome::core
