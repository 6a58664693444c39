// The addresses behind a home's hostname, from what its workload cluster says
// (contract/publisher-cli.md 1.7, "Address resolution").
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/routing/published_object.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::routing {

/// The HTTPRoute of a service on its workload cluster.
struct ServingRoute {
    std::vector<std::string> hostnames;
    std::vector<GatewayParent> parents;
};

struct GatewayAddress {
    std::optional<std::string> type = {};  ///< absent, or `IPAddress`: others do not count
    std::string value;
};

/// What was read of a workload cluster; a problem is why something could not be.
struct WorkloadCluster {
    std::map<core::ServiceKey, core::Result<ServingRoute>> routes;
    std::map<core::ServiceKey, core::Result<std::vector<GatewayAddress>>> gateways;
};

/// By family, then as texts; never empty. `workload` is null where the cluster is not connected.
[[nodiscard]] core::Result<std::vector<std::string>> resolve_addresses(
    const std::string& cluster,
    const core::ServiceKey& service,
    const std::string& host,
    const WorkloadCluster* workload);

}  // namespace ome::routing
