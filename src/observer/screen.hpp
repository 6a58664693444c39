// Text cut to what a terminal shows. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ome::observer {

struct ScreenSize {
    std::size_t rows = 24;
    std::size_t columns = 80;
};

/// At most `rows` - 1 lines, so that the cursor behind the last one scrolls nothing; what is left
/// out is counted in the last of them. Lines are cut to `columns` characters, the last of which is
/// an ellipsis then; colours take no room and end with their line.
[[nodiscard]] std::string fit_screen(std::string_view text, const ScreenSize& size);

}  // namespace ome::observer
