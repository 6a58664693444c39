#pragma once

#include <string>
#include <string_view>

namespace ome::core {

/// 64 lower-case hex digits.
[[nodiscard]] std::string sha256_hex(std::string_view payload);

}  // namespace ome::core
