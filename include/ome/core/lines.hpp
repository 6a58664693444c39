// A text, line by line.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace ome::core {

/// Without their ends; what stands behind the last end is a line unless it is empty. They are views
/// into `text`.
[[nodiscard]] inline std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace ome::core
