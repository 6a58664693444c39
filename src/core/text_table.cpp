#include <ome/core/display_width.hpp>
#include <ome/core/text_table.hpp>

#include <algorithm>
#include <cstddef>

namespace ome::core {
namespace {

std::string_view code(Tone tone) {
    switch (tone) {
        case Tone::Good:
            return "\x1b[32m";
        case Tone::Bad:
            return "\x1b[31m";
        case Tone::Muted:
            return "\x1b[2m";
        case Tone::Heading:
            return "\x1b[1m";
        case Tone::Plain:
            break;
    }
    return "";
}

std::vector<std::size_t> column_widths(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths;
    for (const Row& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], display_width(row[i].text));
        }
    }
    return widths;
}

std::string line(const Row& row,
                 const std::vector<std::size_t>& widths,
                 bool color,
                 std::size_t gap) {
    std::string out;
    std::size_t pending = 0;  // blanks that are only written when something follows
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (!row[i].text.empty()) {
            out.append(pending, ' ').append(paint(row[i].text, row[i].tone, color));
            pending = 0;
        }
        pending += widths[i] - display_width(row[i].text) + gap;
    }
    return out;
}

}  // namespace

std::string paint(std::string_view text, Tone tone, bool color) {
    const std::string_view start = code(tone);
    if (!color || start.empty() || text.empty()) {
        return std::string(text);
    }
    return std::string(start).append(text).append("\x1b[0m");
}

std::string align(const std::vector<Row>& rows, bool color, std::size_t gap) {
    const auto widths = column_widths(rows);
    std::string out;
    for (const Row& row : rows) {
        out.append(line(row, widths, color, gap)).append("\n");
    }
    return out;
}

}  // namespace ome::core
