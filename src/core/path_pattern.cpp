#include <ome/core/path_pattern.hpp>

namespace ome::core {

bool fits_pattern(std::string_view pattern, const std::vector<std::string>& segments) {
    for (const std::string& segment : segments) {
        if (pattern.empty()) {
            return false;
        }
        pattern.remove_prefix(1);
        const std::string_view part = pattern.substr(0, pattern.find('/'));
        if (!part.starts_with('{') && part != segment) {
            return false;
        }
        pattern.remove_prefix(part.size());
    }
    return pattern.empty() || (segments.empty() && pattern == "/");
}

}  // namespace ome::core
