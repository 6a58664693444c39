// A bearer token in a file (RFC 6750): who shows it may use the API. Never logged, and compared in
// a time that tells nothing of it.
#pragma once

#include <ome/core/problem.hpp>

#include <string>
#include <string_view>

namespace ome::observer {

/// Without the white space around it. Problem: the file, and the rule.
[[nodiscard]] core::Result<std::string> read_token(const std::string& path);

/// Whether the value of an Authorization header shows the token.
[[nodiscard]] bool shows_token(std::string_view authorization, std::string_view token);

}  // namespace ome::observer
