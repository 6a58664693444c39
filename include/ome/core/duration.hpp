// Durations as operators and specs write them: `10s`, `1h30m`, `.5s`. Grammar and printing:
// contract/observer.md 12.
#pragma once

#include <ome/core/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ome::core {

/// The duration, or nothing when the text is none or does not fit an int64 of nanoseconds. An empty
/// text is no duration: "not set" is the caller's business.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// `0s`, `500ms`, `1m30s`; parse_duration reads every such text back to the same value.
[[nodiscard]] std::string format_duration(Duration duration);

}  // namespace ome::core
