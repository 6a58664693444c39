// Is a missed deadline the home's fault or ours? (design.md D22)
#pragma once

#include <ome/core/time.hpp>

namespace ome::core {

/// How late a reactor may be before a deadline that passed meanwhile no longer counts against a
/// home: 50 ms, or a tenth of the attempt's timeout where that is longer.
[[nodiscard]] Duration stall_tolerance(Duration timeout);

/// An operation whose deadline has passed: did its reactor stand still meanwhile? `due` is the
/// instant at which the reactor meant to look next, `looked` the one at which it did. It looked
/// before `due` too, so the deadline passed between that look and this one.
[[nodiscard]] bool stood_still(Duration timeout, SteadyTime due, SteadyTime looked);

}  // namespace ome::core
