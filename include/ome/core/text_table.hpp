// Rows -> lines whose columns line up.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

enum class Tone { Plain, Good, Bad, Muted, Heading };

struct Cell {
    Cell(std::string what = {}, Tone how = Tone::Plain) : text(std::move(what)), tone(how) {}
    Cell(const char* what) : text(what) {}
    std::string text;
    Tone tone = Tone::Plain;
};

using Row = std::vector<Cell>;

/// The text in its tone's colour, or as it is.
[[nodiscard]] std::string paint(std::string_view text, Tone tone, bool color);

/// Blanks between two columns.
constexpr std::size_t column_gap = 2;

/// `gap` blanks between columns, none at the end of a line. Widths are columns of a terminal.
[[nodiscard]] std::string align(const std::vector<Row>& rows,
                                bool color,
                                std::size_t gap = column_gap);

}  // namespace ome::core
