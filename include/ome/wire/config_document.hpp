// The operator's configuration as a file or as the value of its ConfigMap
// (contract/observer.md 13.1).
#pragma once

#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

struct ConfigDocument {
    core::RoutingSettings routing;        ///< read, not yet checked: policy_rules.hpp does that
    core::GatewaySettings gateway;        ///< `endpoint`; likewise, gateway_settings.hpp
    std::vector<core::Problem> warnings;  ///< unknown members and the like, with their path
    /// Which member turns routing off, with the one that looks as if it was to turn it on; empty:
    /// it is on.
    std::string routing_off = {};
    /// Paths of members that are null, which is absent: `routing.enabled`; of the manifest of a
    /// ConfigMap that has no value, those of the manifest.
    std::vector<std::string> nulls = {};
};

/// Rules for what could be read of a configuration of which other parts could not.
using FurtherProblems = std::function<std::vector<core::Problem>(core::RoutingSettings)>;

/// A file: the `multicluster` object in JSON or YAML, an object with the one member `multicluster`,
/// or the manifest of a ConfigMap whose `data.multicluster` holds the JSON text (absent: routing is
/// off). The problem is worded as stage L does (`load multi-cluster configuration: ...`), and
/// `field` is the path of the first member that cannot be read. Others that cannot, and what
/// `further` and the warnings say of the rest, follow in lines of their own.
[[nodiscard]] core::Result<ConfigDocument> read_config(std::string_view text,
                                                       const FurtherProblems& further = {});

/// The value of the ConfigMap's key `multicluster`: JSON and nothing else.
[[nodiscard]] core::Result<ConfigDocument> read_config_value(std::string_view text);

}  // namespace ome::wire
