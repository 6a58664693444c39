// What a freeze may come of: a member that is missing is often there under a name with a slip.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/routing/inference_service.hpp>

#include <string>
#include <string_view>

namespace ome::routing {

/// The message of a problem that admit() (traffic_pass.hpp) has with the service, and behind it the
/// slips in the part of the spec that it is about.
[[nodiscard]] std::string with_slips(const core::Problem& problem, const InferenceService& service);

/// The same where the part is known: `spec.routing`.
[[nodiscard]] std::string with_slips(const core::Problem& problem,
                                     const InferenceService& service,
                                     std::string_view part);

}  // namespace ome::routing
