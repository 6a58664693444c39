// The blocks of settings that several documents share.
#pragma once

#include "member_reader.hpp"
#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_settings.hpp>

namespace ome::wire {

/// Whether the block may say `disabled` (a service's own) or not (an operator's, a declaration's).
enum class Disabling : bool { No, Yes };

[[nodiscard]] core::ProbeSettings read_probe(Members block, Disabling disabling);
[[nodiscard]] core::CapacitySettings read_capacity(Members block, Disabling disabling);

/// `routing` of the `multicluster` object.
[[nodiscard]] core::RoutingSettings read_routing(Members routing);

/// `endpoint` of the `multicluster` object.
[[nodiscard]] core::GatewaySettings read_gateway(Members endpoint);

/// `spec.routing` of an InferenceService.
[[nodiscard]] core::ServiceRoutingSettings service_routing_of(Members routing);

}  // namespace ome::wire
