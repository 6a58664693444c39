// Small files that a user names and replaces while we run: certificates, keys, tokens. Reading
// never waits for a writer (a FIFO is refused), and is bounded. Not for a reactor's thread.
#pragma once

#include <ome/core/problem.hpp>

#include <cstddef>
#include <string>

namespace ome::net {

struct SmallFile {
    std::string bytes;
    unsigned mode = 0;  ///< permission bits
};

inline constexpr std::size_t most_file_bytes = std::size_t{4} * 1024 * 1024;

/// Problem: the path as given, and the reason.
[[nodiscard]] core::Result<SmallFile> read_small_file(const std::string& path);

/// Changes when the file is replaced, rewritten or given other permissions, also behind a symbolic
/// link; empty when there is none.
[[nodiscard]] std::string file_signature(const std::string& path);

/// Whether users who are neither its owner nor in its group may read it.
[[nodiscard]] inline bool is_readable_by_others(const SmallFile& file) {
    return (file.mode & 04U) != 0;
}

}  // namespace ome::net
