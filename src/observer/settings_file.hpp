// The `--config FILE`: what the `multicluster` configuration says of the observer's settings.
#pragma once

#include "settings.hpp"

#include <string>

namespace ome::observer {

/// Routing counts as enabled whatever the file says, and the publisher and endpoint members are not
/// looked at: they are the controller's. Everything else must keep its rules
/// (contract/observer.md 13), so that a file that the controller would refuse is refused here too.
[[nodiscard]] core::Result<FileValues> read_settings_file(const std::string& path);

}  // namespace ome::observer
