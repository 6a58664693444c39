// Text as code points.
#pragma once

#include <cstddef>
#include <string_view>

namespace ome::core {

struct CodePoint {
    char32_t value = 0;
    std::size_t length = 1;  ///< bytes it takes; 1 for an invalid one
    bool valid = false;      ///< false: the byte at the front begins no UTF-8 sequence
};

/// The first code point of a text that is not empty. Overlong forms, surrogates and values above
/// U+10FFFF are invalid.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

/// As Unicode has it, and the reference with it.
[[nodiscard]] bool is_white_space(char32_t c);
/// Nothing, or white space alone.
[[nodiscard]] bool is_blank(std::string_view text);
/// Without white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace ome::core
