// `spec.routing` of an InferenceService, as JSON.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <string_view>
#include <vector>

namespace ome::wire {

struct ServiceRoutingDocument {
    core::ServiceRoutingSettings routing;  ///< read, not yet checked: policy_rules.hpp does that
    std::vector<core::Problem> warnings;   ///< unknown members, with their path
};

/// The object alone, without the manifest around it. A member of another type is a problem; paths
/// begin with `spec.routing`.
[[nodiscard]] core::Result<ServiceRoutingDocument> read_service_routing(std::string_view text);

}  // namespace ome::wire
