// The rule of duration texts, for every block of the configuration.
#pragma once

#include <ome/core/problem.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ome::core {

/// Absent or empty: none of this rule's business.
[[nodiscard]] std::optional<Problem> positive_duration_problem(
    std::string_view key, const std::optional<std::string>& text);

}  // namespace ome::core
