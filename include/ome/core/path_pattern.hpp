// Paths of the local APIs as their routes and metrics name them: `/v1/services/{namespace}/{name}`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// Whether a path, in its decoded segments, is one of the pattern's: a part in braces stands for
/// any one segment, all else for itself. The path without segments is `/`.
[[nodiscard]] bool fits_pattern(std::string_view pattern, const std::vector<std::string>& segments);

}  // namespace ome::core
