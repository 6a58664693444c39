// Drains of a folder's services: they stand in the override beside the manifest, which is its
// owner's and is never written.
#pragma once

#include "store.hpp"

#include <string>

namespace ome::controller {

/// Carries out a lapse below `root`, whose service stands in the file `manifest`. False: somebody
/// has changed the annotations since it was decided, and nothing is done.
[[nodiscard]] core::Result<bool> write_lapse(const std::string& root,
                                             const std::string& manifest,
                                             const DrainLapse& lapse);

}  // namespace ome::controller
