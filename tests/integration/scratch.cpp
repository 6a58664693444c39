#include "integration/scratch.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace ome::test {

Scratch::Scratch() : folder_(testing::TempDir() + "ome-XXXXXX") {
    if (mkdtemp(folder_.data()) == nullptr) {
        ADD_FAILURE() << "no folder can be made at " << folder_;
    }
}

Scratch::~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string Scratch::path(std::string_view name) const {
    return folder_ + "/" + std::string(name);
}

std::string Scratch::write(std::string_view name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << content;
    return path(name);
}

}  // namespace ome::test
