// What operators must always see in the log: gates that close or lift, ceilings that are lost or
// back.
#pragma once

#include <ome/core/fleet.hpp>

namespace ome::observer {

void log_change(const core::Change& change);

}  // namespace ome::observer
