// Label selectors as API servers take them, so that one that cannot be read is told at the start.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ome::controller {

/// What is wrong with it: `a label key is missing before "="`.
/// Absent: it is empty, or requirements joined by commas, each of KEY, !KEY, KEY=VALUE,
/// KEY==VALUE, KEY!=VALUE, KEY in (VALUES), KEY notin (VALUES), KEY>NUMBER and KEY<NUMBER.
[[nodiscard]] std::optional<std::string> selector_fault(std::string_view text);

}  // namespace ome::controller
