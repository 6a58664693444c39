// Settings of the publisher that no route can come of.
#pragma once

#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <vector>

namespace ome::wire {

/// A start takes a template that cannot be rendered and a gateway that none can be, and every
/// publication fails on them (contract/publisher-cli.md 1.2): they are tried on a service made up.
[[nodiscard]] std::vector<core::Problem> publication_problems(const core::RoutingSettings& routing,
                                                              const core::GatewaySettings& gateway);

}  // namespace ome::wire
