// Why a service is not routed, for people.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/routing/inference_service.hpp>

#include <string>

namespace ome::routing {

/// In words, of a service that admit() (traffic_pass.hpp) does not route.
[[nodiscard]] std::string why_not_routed(const InferenceService& service,
                                         const core::RoutingSettings& installation);

}  // namespace ome::routing
