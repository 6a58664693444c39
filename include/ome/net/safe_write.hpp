// Files that are either the old one or the new one, whatever ends the process or the machine:
// written aside, flushed, renamed, and the folder flushed. Many at once share the flushes.
#pragma once

#include <ome/core/problem.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ome::net {

struct FileWrite {
    std::string path;
    std::string bytes;
    std::optional<core::Problem> problem = {};  ///< set by write_safely(): the old file is there
    /// Of the file that was written, even if another has taken its place since.
    std::string signature = {};
};

/// Makes the folder of each file where it is missing.
void write_safely(std::vector<FileWrite>& files);

/// Absent file: no problem.
[[nodiscard]] std::optional<core::Problem> delete_safely(const std::string& path);

/// What a process that ended while it wrote has left in the folder.
void remove_leftovers(const std::string& folder);

}  // namespace ome::net
