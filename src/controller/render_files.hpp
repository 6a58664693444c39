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

/// Problems are sentences that begin with the name of the file.
class RenderFiles {
public:
    std::vector<routing::InferenceService> services;  ///< in input order, each name once
    std::map<core::ServiceKey, core::ServiceReading> readings;
    std::map<core::ServiceKey, routing::TrafficMap> maps;
    std::map<core::ServiceKey, std::string> unreadable;  ///< services of `problems`, and why
    std::vector<core::ServiceKey> unusable;   ///< whose reading or map is there and cannot be read
    std::vector<std::string> unusable_files;  ///< with their flag; nothing is to be printed then
    std::vector<std::string> problems;        ///< of one object; they spoil nothing else
    std::vector<std::string> warnings;

    /// May be called for several files. A file below a folder `inferenceservices` is one of a
    /// folder store: what names no namespace is in that of its folder.
    void take_services(const std::string& name, std::string_view text);
    void take_readings(const std::string& name, std::string_view text);
    void take_maps(const std::string& name, std::string_view text);

    /// To be called after everything was taken: warns of readings and maps of other services.
    void warn_of_strangers();

private:
    void refuse_file(std::string_view flag, const std::string& name, const std::string& why);
    void refuse_document(std::string_view flag,
                         const std::string& name,
                         std::size_t index,
                         std::string_view messages);

    std::set<core::ServiceKey> seen_;   ///< among the services
    std::set<core::ServiceKey> named_;  ///< also by those that cannot be used
};

/// The settings of a configuration that is valid; the message is that of a start that fails, or
/// says that the text is none.
[[nodiscard]] core::Result<core::RoutingSettings> read_installation(std::string_view text);

}  // namespace ome::controller
