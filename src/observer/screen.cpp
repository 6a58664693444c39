#include "screen.hpp"

#include <ome/core/display_width.hpp>
#include <ome/core/lines.hpp>
#include <ome/core/utf8.hpp>

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

// An ellipsis takes the last column of what is cut.
std::string cut_line(std::string_view line, std::size_t columns) {
    std::string out;
    std::size_t shown = 0;
    std::size_t kept = 0;  // of what is written, if an ellipsis has to follow
    bool coloured = false;
    while (!line.empty()) {
        const std::size_t escape = escape_length(line);
        const std::size_t length = escape > 0 ? escape : core::first_code_point(line).length;
        if (escape == 0) {
            kept = shown < columns ? out.size() : kept;
            shown += core::display_width(line.substr(0, length));
            if (shown > columns) {
                return out.substr(0, kept) + "\u2026" + (coloured ? "\x1b[0m" : "");
            }
        }
        out += line.substr(0, length);
        coloured = coloured || escape > 0;
        line.remove_prefix(length);
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
