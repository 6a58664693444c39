// What the placement of an InferenceService says that nobody can have meant.
#pragma once

#include "member_reader.hpp"

namespace ome::wire {

/// Warnings of members below `spec.placement` and `status.placement` that OME does not have, and of
/// counts below zero. `object` is an InferenceService that could be read.
void check_placement_members(const json::value& object, Notes& notes);

}  // namespace ome::wire
