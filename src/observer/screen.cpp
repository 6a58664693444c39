#include "screen.hpp"

#include <ome/core/lines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ome::observer {
namespace {

// `ESC [ ... letter`, as this program writes them.
std::size_t escape_length(std::string_view text) {
    if (!text.starts_with("\x1b[")) {
        return 0;
    }
    const std::size_t end = text.find_first_of("mHJK");
    return end == std::string_view::npos ? text.size() : end + 1;
}

bool begins_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

// An ellipsis takes the last column of what is cut.
std::string cut_line(std::string_view line, std::size_t columns) {
    std::string out;
    std::size_t shown = 0;
    std::size_t last_column = 0;
    bool coloured = false;
    while (!line.empty()) {
        const std::size_t escape = escape_length(line);
        if (escape == 0 && begins_character(line.front())) {
            if (++shown > columns) {
                return out.substr(0, last_column) + "\u2026" + (coloured ? "\x1b[0m" : "");
            }
            last_column = out.size();
        }
        coloured = coloured || escape > 0;
        out += line.substr(0, std::max<std::size_t>(escape, 1));
        line.remove_prefix(std::max<std::size_t>(escape, 1));
    }
    return out;
}

}  // namespace

std::string fit_screen(std::string_view text, const ScreenSize& size) {
    std::vector<std::string_view> lines = core::lines_of(text);
    const std::size_t room = std::max<std::size_t>(size.rows, 2) - 1;
    std::string more;
    if (lines.size() > room) {
        more = fmt::format("... {} more lines; all of them without --watch",
                           lines.size() - (room - 1));
        lines.resize(room - 1);
    }
    std::string out;
    for (const std::string_view line : lines) {
        out += cut_line(line, size.columns) + "\n";
    }
    return more.empty() ? out : out + cut_line(more, size.columns) + "\n";
}

}  // namespace ome::observer
