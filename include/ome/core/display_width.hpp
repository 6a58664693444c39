// How wide a text is on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ome::core {

/// Columns that the code point takes: 2 for what East Asian scripts and emoji fill, 0 for marks
/// that stand over the one before.
[[nodiscard]] std::size_t columns_of(char32_t code_point);

/// Columns of a line; a byte that begins no character takes one.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The text itself if it takes at most `most` columns; otherwise its beginning with an ellipsis,
/// `most` columns together (at least the ellipsis).
[[nodiscard]] std::string shorten_to_width(std::string_view text, std::size_t most);

}  // namespace ome::core
