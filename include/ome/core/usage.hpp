// What is wrong with a command line, in words: which word, where, and what was probably meant.
// Values of options are never shown, since they may be secrets.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// The words of a command line behind the program's name, for a parser that takes `--flag=` for a
/// flag without a value: `--flag` and an empty word. Behind `--` no word is a flag.
[[nodiscard]] std::vector<std::string> with_empty_values(const std::vector<std::string>& words);

/// As far as it was understood.
struct CommandLine {
    std::string program;                     ///< with the command, once that is known
    std::vector<std::string> commands;       ///< one of these must follow; empty: none may
    std::vector<std::string> options;        ///< that may stand here: `--output`, `-o`
    std::vector<std::string> later_options;  ///< of the commands
    std::vector<std::string> left_over;      ///< in the order given
};

/// The nearest of `known` to a mistyped word; absent when none is near.
[[nodiscard]] std::optional<std::string_view> nearest_word(std::string_view word,
                                                           const std::vector<std::string>& known);

/// The nearest of `known` that becomes `word` by at most `most` slips of the pen: a letter changed,
/// added or left out, or two neighbours swapped. Absent when there is none.
[[nodiscard]] std::optional<std::string_view> misspelt(std::string_view word,
                                                       std::span<const std::string_view> known,
                                                       std::size_t most);

/// Lines for standard error: an option or a command that does not exist, a word too many, or else
/// `otherwise`, and where help is.
[[nodiscard]] std::string usage_problem(const CommandLine& line, std::string_view otherwise);

}  // namespace ome::core
