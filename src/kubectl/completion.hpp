// What may stand at the end of a command line, told from the commands as they are defined.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ome::kubectl {

/// What a word can be that only a control plane knows.
enum class Names { None, Services, Maps, Clusters, Drains, Namespaces };

struct Completion {
    std::vector<std::string> words;  ///< that begin as the last word does, in order
    Names names = Names::None;       ///< to be added, by whoever can ask
    std::string service;             ///< of Drains: the service on the line
};

/// `words`: what follows the program's name; the last one, perhaps empty, is to be completed.
[[nodiscard]] Completion complete(const CLI::App& app, const std::vector<std::string>& words);

/// A word that stands where a command must and is none, in words, with the nearest command or all
/// of them. Absent: the commands exist.
[[nodiscard]] std::optional<std::string> unknown_command(const CLI::App& app,
                                                         std::vector<std::string> words);

/// `bash`, `zsh` or `fish`; empty for others.
[[nodiscard]] std::string completion_script(std::string_view shell);

}  // namespace ome::kubectl
