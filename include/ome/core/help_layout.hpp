// How a program's --help fits a screen: lines of at most 80 columns, whatever the flags and their
// texts are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ome::core {

inline constexpr std::size_t help_columns = 80;

/// Where the texts of flags and commands begin.
inline constexpr std::size_t help_text_column = 30;

/// `help` as CLI11 prints it: a description, the line `Usage: `, lists of flags and commands, and
/// the footer. Texts of flags are broken where they are too long. Prose is filled anew; lines of
/// the footer that are set in (examples, tables) stay as they are. Of several blank lines one is
/// left.
[[nodiscard]] std::string lay_out_help(std::string_view help, std::string_view footer);

}  // namespace ome::core
