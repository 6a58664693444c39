// What the program was called by: kubectl takes the plugin with the longest matching name, so a
// link such as kubectl-ome-traffic stands for the words that its name says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ome::kubectl {

/// The words of a program name: `kubectl-ome-placement-endpoint` says `placement`, `endpoint`; an
/// underscore stands for a dash within a word. `kubectl_complete-ome-traffic`, which kubectl calls
/// to complete a command line, says `__complete`, `traffic`. Other names say nothing.
[[nodiscard]] std::vector<std::string> words_of_name(std::string_view program);

}  // namespace ome::kubectl
