#include <ome/core/text.hpp>
#include <ome/core/usage.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace ome::core {
namespace {

// A word that begins like a known one is meant to be it from here on.
constexpr std::size_t telling_beginning = 3;

// How much of a foreign word is shown, and compared.
constexpr std::size_t longest_word = 64;

// Letters to change, add, leave out or swap with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
    std::array<std::vector<std::size_t>, 3> rows;  // of the letters of `a` before last, last, now
    for (auto& row : rows) {
        row.resize(b.size() + 1);
    }
    for (std::size_t j = 0; j <= b.size(); ++j) {
        rows[2][j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::rotate(rows.begin(), rows.begin() + 1, rows.end());
        rows[2][0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            rows[2][j] = std::min({change, rows[1][j] + 1, rows[2][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                rows[2][j] = std::min(rows[2][j], rows[0][j - 2] + 1);
            }
        }
    }
    return rows[2][b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
    const auto near = nearest_word(word, known);
    return near ? fmt::format("; did you mean {}?", *near) : std::string();
}

std::string list_of(const std::vector<std::string>& commands) {
    return fmt::format("commands: {}", fmt::join(commands, ", "));
}

std::string option_problem(const CommandLine& line, const std::string& name) {
    const auto& later = line.later_options;
    if (std::find(later.begin(), later.end(), name) != later.end()) {
        return fmt::format(
            "the option {} must stand behind its command\n{}", name, list_of(line.commands));
    }
    return fmt::format("there is no option {}{}",
                       sanitize_detail(name, longest_word),
                       did_you_mean(name, line.options));
}

std::optional<std::string> unknown_option(const CommandLine& line) {
    for (const std::string& word : line.left_over) {
        if (word.size() > 1 && word.front() == '-') {
            return option_problem(line, word.substr(0, word.find('=')));
        }
    }
    return std::nullopt;
}

// Which options there are depends on the command, so a command that does not exist is told first.
bool begins_with_a_command(const CommandLine& line) {
    return !line.commands.empty() && !line.left_over.empty() &&
           !line.left_over.front().starts_with('-');
}

std::string problem(const CommandLine& line, std::string_view otherwise) {
    const auto option = begins_with_a_command(line) ? std::nullopt : unknown_option(line);
    if (option) {
        return *option;
    }
    const std::string word = line.left_over.empty() ? std::string() : line.left_over.front();
    if (line.commands.empty()) {
        return line.left_over.empty() ? std::string(otherwise)
                                      : fmt::format("{} is one argument too many",
                                                    go_quote(shorten(word, longest_word)));
    }
    return line.left_over.empty()
               ? fmt::format("a command must be given\n{}", list_of(line.commands))
               : fmt::format("there is no command {}{}\n{}",
                             go_quote(shorten(word, longest_word)),
                             did_you_mean(word, line.commands),
                             list_of(line.commands));
}

}  // namespace

std::vector<std::string> with_empty_values(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    const auto end_of_flags = std::find(words.begin(), words.end(), "--");
    for (auto word = words.begin(); word != end_of_flags; ++word) {
        if (word->size() > 3 && word->starts_with("--") && word->find('=') == word->size() - 1) {
            all.push_back(word->substr(0, word->size() - 1));
            all.emplace_back();
        } else {
            all.push_back(*word);
        }
    }
    all.insert(all.end(), end_of_flags, words.end());
    return all;
}

std::optional<std::string_view> nearest_word(std::string_view word,
                                             const std::vector<std::string>& known) {
    std::optional<std::string_view> nearest;
    const std::string_view meant = word.substr(0, longest_word);
    std::size_t least = std::max<std::size_t>(meant.size() / 3, 1) + 1;
    for (const std::string& candidate : known) {
        const bool begun = meant.size() >= telling_beginning && candidate.starts_with(meant) &&
                           meant.find_first_not_of('-') != std::string_view::npos;
        const std::size_t far = begun ? 1 : distance(meant, candidate);
        if (far < least && far < candidate.size()) {
            least = far;
            nearest = candidate;
        }
    }
    return nearest;
}

std::optional<std::string_view> misspelt(std::string_view word,
                                         std::span<const std::string_view> known,
                                         std::size_t most) {
    std::optional<std::string_view> nearest;
    std::size_t least = most + 1;
    for (const std::string_view candidate : known) {
        const std::size_t longer = std::max(word.size(), candidate.size());
        if (longer - std::min(word.size(), candidate.size()) >= least) {
            continue;  // at least as far as they differ in length
        }
        const std::size_t far = distance(word, candidate);
        if (far < least) {
            least = far;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string usage_problem(const CommandLine& line, std::string_view otherwise) {
    return fmt::format(
        "{}: {}\nRun {} --help for more.\n", line.program, problem(line, otherwise), line.program);
}

}  // namespace ome::core
