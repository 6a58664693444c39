// A .tar.gz in memory: a few small files for somebody else to read.
#pragma once

#include <ome/core/problem.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ome::observer {

struct ArchivedFile {
    std::string name;  ///< at most 100 bytes, with `/` between folders
    std::string content;
};

/// POSIX ustar; every file is of this time (seconds since 1970) and only its owner's.
[[nodiscard]] std::string make_tar(const std::vector<ArchivedFile>& files, std::int64_t time);

[[nodiscard]] core::Result<std::string> compress(std::string_view bytes);

}  // namespace ome::observer
