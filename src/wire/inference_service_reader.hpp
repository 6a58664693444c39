// An InferenceService with everything that is to be said about how it is written, for
// inference_service_document.cpp (the errors) and inference_service_check.cpp (all of it).
#pragma once

#include "member_reader.hpp"
#include <ome/core/policy.hpp>
#include <ome/routing/inference_service.hpp>

namespace ome::wire {

enum class Named : bool { Perhaps, Always };

[[nodiscard]] routing::InferenceService read_service_object(const json::value& object,
                                                            Named named,
                                                            Notes& notes);

/// What an API server and a pass of the controller would say of it, and what keeps every rule and
/// still does not do what it looks like.
[[nodiscard]] Notes check_service_object(const json::value& object,
                                         const core::ObserverLimits& limits);

}  // namespace ome::wire
