// The configuration with everything that is to be said about it, for config_document.cpp (the first
// error) and document_check.cpp (all of them).
#pragma once

#include "member_reader.hpp"
#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_settings.hpp>

#include <string>
#include <vector>

namespace ome::wire {

struct ConfigReading {
    core::RoutingSettings routing;
    core::GatewaySettings gateway;
    Notes notes;
    /// Paths of members that are null: absent for OME, and what a file looks like that is not
    /// written to its end yet.
    std::vector<std::string> nulls = {};
    Lines lines;                  ///< of the text that holds the configuration
    std::size_t line_offset = 0;  ///< where that text begins in the file, less one
};

/// Whether a document is one of the shapes that read_config takes.
[[nodiscard]] bool is_config_map(const json::value& document);
[[nodiscard]] bool is_configuration(const json::value& document);

/// Which member turns routing off, and which other one looks as if it was to turn it on; empty: it
/// is on.
struct RoutingOff {
    std::string why;
    bool by_a_slip = false;  ///< there is such a member
};
[[nodiscard]] RoutingOff routing_off(const ConfigReading& reading);

[[nodiscard]] ConfigReading read_config_map(const Source& source);
[[nodiscard]] ConfigReading read_configuration(Source source);

}  // namespace ome::wire
