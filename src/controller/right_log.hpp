// What becomes of rights, in the log.
#pragma once

#include "missing_rights.hpp"

namespace ome::controller {

/// Nothing where nothing has changed.
void log_right(const MissingRights::Change& change);

}  // namespace ome::controller
