#include <ome/core/version.hpp>

#include <fmt/format.h>

namespace ome::core {

std::string version_text(std::string_view program, std::string_view commit) {
    return commit.empty() ? fmt::format("{} {}", program, OME_VERSION)
                          : fmt::format("{} {} (commit {})", program, OME_VERSION, commit);
}

}  // namespace ome::core
