// What a new configuration changes, for the log of a restart.
#pragma once

#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_settings.hpp>

#include <map>
#include <string>
#include <vector>

namespace ome::core {

/// The members `routing` and `endpoint` of the `multicluster` object, as they were written.
struct Configuration {
    RoutingSettings routing = {};
    GatewaySettings gateway = {};
};

/// Every member that is there by its path in the `multicluster` object: `routing.probe.period`.
[[nodiscard]] std::map<std::string, std::string> configured_members(const Configuration& all);

/// `routing.probe.period: 10s -> 5s`, in byte order of the paths; a member that one of the two does
/// not have is `(not set)`. Empty: they mean the same.
[[nodiscard]] std::vector<std::string> configuration_changes(const Configuration& before,
                                                             const Configuration& after);

}  // namespace ome::core
