// What the reconciler and the publisher have to tell, as lines of the log.
#pragma once

#include "reconciler.hpp"

namespace ome::controller {

void write_notice(const Notice& notice);

}  // namespace ome::controller
