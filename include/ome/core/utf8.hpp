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

}  // namespace ome::core
