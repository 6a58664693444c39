// Instants as text: RFC 3339, strictly (contract/observer.md 7, design.md D10).
#pragma once

#include <ome/core/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ome::core {

/// The instant of year 1 that Go programs write for "no time"; a report that carries it carries no
/// stamp.
inline constexpr WallTime zero_instant{-62'135'596'800, 0};

/// `YYYY-MM-DDThh:mm:ss[.digits](Z|+hh:mm|-hh:mm)`, years 0000 to 9999 also in UTC, T and Z upper
/// case, no leap second, offsets up to 23:59. Digits beyond nanoseconds are cut. Else nothing.
[[nodiscard]] std::optional<WallTime> parse_timestamp(std::string_view text);

/// UTC with milliseconds, or with microseconds or nanoseconds when the value needs them:
/// `2026-09-28T10:00:00.000Z`. parse_timestamp reads it back; the years end with 0000 and 9999.
[[nodiscard]] std::string format_timestamp(WallTime at);

}  // namespace ome::core
