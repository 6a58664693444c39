// Variables of the environment that were meant to be settings.
#pragma once

#include <ome/core/setting.hpp>

#include <string>
#include <vector>

namespace ome::core {

/// Variables that begin like the program's and set nothing, each with the one that was probably
/// meant. Left out: what Kubernetes sets for Services that are named like the program.
[[nodiscard]] std::vector<Problem> unknown_variables(const SettingList& list,
                                                     const std::vector<std::string>& names);

}  // namespace ome::core
