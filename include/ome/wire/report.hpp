// The `Report` format of a capacity answer (contract/observer.md 7, design.md D10).
#pragma once

#include <ome/core/attempt.hpp>

#include <string_view>
#include <variant>

namespace ome::wire {

/// A report, or the whole fallback reason why it is none (`capacity response is not a valid report:
/// ...`, `capacity report has no servable count`, `capacity report has no observedAt stamp`). Never
/// monostate: the type is that of core::AttemptOutcome::report, to be moved there. At least 64
/// bytes behind `body` must be readable when `padded`; otherwise a copy is made. Buffers are kept
/// per thread, so that a report like the one before allocates nothing.
[[nodiscard]] std::variant<std::monostate, core::CapacityReport, std::string> decode_report(
    std::string_view body, bool padded = false);

}  // namespace ome::wire
