#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ome::core {

/// With padding (RFC 4648 section 4).
[[nodiscard]] std::string base64(std::string_view bytes);

/// What base64() made; line ends and spaces between the digits are skipped. Absent: another
/// character, missing padding, or bits set where there are none.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace ome::core
