// Durations as the control documents write them: a decimal number and a unit, `250ms`, `1.5s`,
// `2m`.
#pragma once

#include <ome/core/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ome::homesim {

/// Units: us, ms, s, m, h. A leading `-` is allowed. Absent: not such a text.
[[nodiscard]] std::optional<core::Duration> parse_duration(std::string_view text);

/// In the largest unit that shows it exactly, `0s` for nothing.
[[nodiscard]] std::string format_duration(core::Duration duration);

}  // namespace ome::homesim
