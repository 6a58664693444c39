// Reading the small files that a user names.
#pragma once

#include <ome/core/problem.hpp>

#include <string>

namespace ome::observer {

/// The whole file, at most 256 MiB; the problem names the path and the cause.
[[nodiscard]] core::Result<std::string> read_text_file(const std::string& path);

}  // namespace ome::observer
