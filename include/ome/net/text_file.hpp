// Reading the small files that a user names.
#pragma once

#include <ome/core/problem.hpp>

#include <iosfwd>
#include <optional>
#include <string>

namespace ome::net {

/// The whole file, at most 256 MiB; the problem names the path and the cause.
[[nodiscard]] core::Result<std::string> read_text_file(const std::string& path);

/// The same, where `-` means the standard input, which is given.
[[nodiscard]] core::Result<std::string> read_text_input(const std::string& name,
                                                        std::istream& standard_input);

/// A folder, a pipe or a socket: the problem names path and kind. What is not there is no problem
/// yet.
[[nodiscard]] std::optional<core::Problem> refuse_other_than_file(const std::string& path);

}  // namespace ome::net
