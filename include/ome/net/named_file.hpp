// Files whose path a user gives. Only a regular file, or nothing at all, is there to be replaced or
// made: a device, a pipe or a socket stays what it is and is written to, and a link stays a link.
#pragma once

#include <ome/core/problem.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ome::net {

/// Whether this is the file, pipe or terminal that standard output or standard error lead to:
/// `/dev/stdout`, for one.
[[nodiscard]] bool is_standard_stream(const std::string& path);

/// In place of what is there. Behind a link that is what it leads to. Waits for the reader of a
/// pipe. Problem: the path as given, and the reason.
[[nodiscard]] std::optional<core::Problem> replace_named_file(const std::string& path,
                                                              std::string_view bytes);

/// Only as a new file, for nobody but its owner; what is no regular file is written to. Problem:
/// the reason alone, and nothing of a new file is left.
[[nodiscard]] std::optional<std::string> create_named_file(const std::string& path,
                                                           std::string_view bytes);

}  // namespace ome::net
