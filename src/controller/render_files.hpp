// The inputs of `render`, from texts.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/reading.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/traffic_map.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ome::controller {

/// Problems are sentences that begin with the name of the file; they spoil nothing else.
class RenderFiles {
public:
    std::vector<routing::InferenceService> services;  ///< in input order, each name once
    std::map<core::ServiceKey, core::ServiceReading> readings;
    std::map<core::ServiceKey, routing::TrafficMap> maps;
    std::vector<core::ServiceKey> unusable;  ///< whose reading or map is there and cannot be read
    std::vector<std::string> problems;
    std::vector<std::string> warnings;

    /// May be called for several files.
    void take_services(const std::string& name, std::string_view text);
    void take_readings(const std::string& name, std::string_view text);
    void take_maps(const std::string& name, std::string_view text);

private:
    std::set<core::ServiceKey> seen_;  ///< among the services
};

/// The settings of a configuration that is valid; the message is that of a start that fails.
[[nodiscard]] core::Result<core::RoutingSettings> read_installation(std::string_view text);

}  // namespace ome::controller
