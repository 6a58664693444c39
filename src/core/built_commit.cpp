#include "built_commit_text.hpp"  // written by the build
#include <ome/core/version.hpp>

namespace ome::core {

std::string_view built_commit() {
    constexpr std::string_view text = built_commit_text;
    return text == "unknown" ? std::string_view() : text;
}

}  // namespace ome::core
