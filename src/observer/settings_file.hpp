// The `--config FILE`: what the `multicluster` configuration says of the observer's settings.
#pragma once

#include "settings.hpp"

#include <string>
#include <vector>

namespace ome::observer {

struct ConfigFile {
    FileValues values;
    std::vector<std::string> warnings;  ///< of members that are not known, or are left out
};

/// The publisher and endpoint members are not looked at: they are the controller's. Everything else
/// must keep its rules (contract/observer.md 13), so that a file that the controller would refuse
/// is refused here too. Routing counts as enabled unless the file says `enabled: false`; then
/// limits and policies are not judged, and limits that could not be taken are left out with a
/// warning. The problem does not name the file: whoever asks knows which flag did.
[[nodiscard]] core::Result<ConfigFile> read_settings_file(const std::string& path);

}  // namespace ome::observer
