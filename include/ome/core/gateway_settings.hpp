// The member `endpoint` of the operator's `multicluster` object: where the global gateway is and
// how it reaches the homes (contract/publisher-cli.md 1.2 and 3.3). As it was written; what is
// absent is absent.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ome::core {

struct GatewaySettings {
    std::optional<std::string> global_host_template = {};
    std::optional<std::string> global_gateway = {};  ///< `namespace/name` or `name`
    std::optional<std::string> route_namespace = {};
    std::optional<std::int64_t> backend_port = {};  ///< of every home

    // `gatewayBackend`.
    std::optional<bool> rewrite_hostname = {};
    std::optional<bool> tls_enabled = {};
    std::optional<std::string> well_known_ca_certificates = {};
    std::optional<bool> slices_enabled = {};
    std::optional<std::string> address_refresh_interval = {};
    std::optional<std::string> service_type = {};  ///< ours: `ExternalName` (default), `Headless`
};

inline constexpr std::string_view external_name_type = "ExternalName";
inline constexpr std::string_view headless_type = "Headless";

/// Every broken rule of the block but those of its durations, in the order of the contract. The
/// gateway's spelling and the template are not looked at: they show map by map.
[[nodiscard]] std::vector<Problem> gateway_problems(const GatewaySettings& gateway);

/// The refresh interval: no duration, or not positive.
[[nodiscard]] std::vector<Problem> duration_problems(const GatewaySettings& gateway);

/// As a start goes through both blocks: durations by key, the publisher's interval and the rules of
/// `endpoint` all at once, then the first broken rule of `routing`, then the publisher.
[[nodiscard]] std::vector<Problem> configuration_problems(const RoutingSettings& routing,
                                                          const GatewaySettings& gateway);

/// The same as one problem, all messages behind `invalid multi-cluster configuration: `.
[[nodiscard]] std::optional<Problem> configuration_error(const RoutingSettings& routing,
                                                         const GatewaySettings& gateway);

}  // namespace ome::core
