// What an InferenceService and its placement say that nobody can have meant.
#pragma once

#include "manifest_reader.hpp"
#include "member_reader.hpp"
#include <ome/routing/inference_service.hpp>

namespace ome::wire {

/// Warnings of members beside `spec` and `status` and below `spec.placement` and `status.placement`
/// that OME does not have, of counts below zero, and of phases that there are not. `service` could
/// be read from `object`.
void check_placement_members(const json::value& object,
                             const routing::InferenceService& service,
                             Notes& notes);

/// Those of `spec.placement` alone.
void check_intent_members(Members placement);

/// These, those of the annotations and those of `spec.routing`, each with its line where known:
/// everything in an InferenceService that could be read and that is told without knowing any
/// limits.
[[nodiscard]] std::vector<core::Problem> manifest_warnings(const Manifest& manifest);

}  // namespace ome::wire
