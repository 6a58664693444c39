// The query of a request, held against what the request takes. One that nobody knows is an error:
// ignored, a misspelt filter would pass for one that filters nothing.
#pragma once

#include <ome/core/problem.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::core {

/// Absent when `known` holds every name of the query. The problem tells the first one that it does
/// not hold, its value and the names that may stand there; `field` is its name.
[[nodiscard]] std::optional<Problem> unknown_parameter(
    const std::map<std::string, std::string>& query, const std::vector<std::string>& known);

}  // namespace ome::core
