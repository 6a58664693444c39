#include "support/source_file.hpp"

namespace ome::test {

std::string source_file(std::string_view path) {
    std::string found = OME_SOURCE_ROOT;
    if (!path.empty()) {
        found.append("/").append(path);
    }
    return found;
}

}  // namespace ome::test
