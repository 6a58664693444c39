#include "invocation.hpp"

#include <algorithm>

namespace ome::kubectl {
namespace {

constexpr std::string_view plugin = "kubectl-ome";
constexpr std::string_view completer = "kubectl_complete-ome";

void append_words(std::vector<std::string>& words, std::string_view rest) {
    while (rest.starts_with('-')) {
        rest.remove_prefix(1);
        const std::size_t end = std::min(rest.find('-'), rest.size());
        std::string word(rest.substr(0, end));
        std::replace(word.begin(), word.end(), '_', '-');
        words.push_back(std::move(word));
        rest.remove_prefix(end);
    }
}

}  // namespace

std::vector<std::string> words_of_name(std::string_view program) {
    program.remove_prefix(program.rfind('/') == std::string_view::npos ? 0
                                                                       : program.rfind('/') + 1);
    std::vector<std::string> words;
    if (program.starts_with(completer)) {
        words.emplace_back("__complete");
        append_words(words, program.substr(completer.size()));
    } else if (program.starts_with(plugin)) {
        append_words(words, program.substr(plugin.size()));
    }
    return words;
}

}  // namespace ome::kubectl
