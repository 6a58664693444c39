#include "render_files.hpp"

#include <ome/core/policy_rules.hpp>
#include <ome/wire/config_document.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/observer_answer.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <fmt/format.h>

namespace ome::controller {
namespace {

std::string service_name(const core::ServiceKey& key) {
    return fmt::format("{}/{}", key.ns, key.name);
}

// `isvc.yaml: document 2 (team/chat): `, for each line of the message.
std::string placed(const std::string& file,
                   std::size_t index,
                   const std::optional<core::ServiceKey>& key,
                   const std::string& message) {
    const std::string service = key ? fmt::format(" ({})", service_name(*key)) : "";
    const std::string before = fmt::format("{}: document {}{}: ", file, index + 1, service);
    std::string out = before;
    for (const char c : message) {
        out += c;
        if (c == '\n') {
            out += before;
        }
    }
    return out;
}

}  // namespace

void RenderFiles::take_services(const std::string& name, std::string_view text) {
    core::Result<wire::InferenceServiceDocuments> read = wire::read_inference_services(text);
    if (!read) {
        problems.push_back(fmt::format("{}: {}", name, read.error().message));
        return;
    }
    for (const wire::OtherDocument& other : read->others) {
        warnings.push_back(
            placed(name,
                   other.index,
                   std::nullopt,
                   other.kind.empty() ? "has no kind and is ignored" : other.kind + " is ignored"));
    }
    for (wire::InferenceServiceDocument& document : read->services) {
        if (!document.service) {
            problems.push_back(
                placed(name, document.index, document.key, document.service.error().message));
        } else if (!seen_.insert(document.service->key).second) {
            problems.push_back(
                placed(name, document.index, document.key, "is there more than once"));
        } else {
            services.push_back(*std::move(document.service));
        }
    }
    if (read->services.empty()) {
        problems.push_back(name + ": holds no InferenceService");
    }
}

void RenderFiles::take_readings(const std::string& name, std::string_view text) {
    core::Result<wire::ServicesAnswer> read = wire::read_services_answer(text);
    if (!read) {
        problems.push_back(fmt::format("{}: {}", name, read.error().message));
        return;
    }
    if (!read->more.empty()) {
        warnings.push_back(name +
                           ": is one page of a longer list (`continue`); services of other "
                           "pages count as without a reading");
    }
    for (wire::ServiceAnswer& answer : read->services) {
        const core::ServiceKey key = answer.service.key;
        if (!readings.emplace(key, std::move(answer.service)).second) {
            problems.push_back(fmt::format(
                "{}: service {} is in the file more than once", name, service_name(key)));
        }
    }
}

void RenderFiles::take_maps(const std::string& name, std::string_view text) {
    core::Result<std::vector<wire::TrafficMapDocument>> read = wire::read_traffic_maps(text);
    if (!read) {
        problems.push_back(fmt::format("{}: {}", name, read.error().message));
        return;
    }
    for (wire::TrafficMapDocument& document : *read) {
        if (!document.map) {
            problems.push_back(
                placed(name, document.index, document.key, document.map.error().message));
            if (document.key) {
                unusable.push_back(*document.key);
            }
            continue;
        }
        core::ServiceKey key = document.map->meta.key;
        if (!maps.emplace(key, *std::move(document.map)).second) {
            problems.push_back(
                placed(name, document.index, document.key, "is in the file more than once"));
            unusable.push_back(std::move(key));
        }
    }
}

core::Result<core::RoutingSettings> read_installation(std::string_view text) {
    core::Result<wire::ConfigDocument> config = wire::read_config(text);
    if (!config) {
        return config.error();
    }
    if (std::optional<core::Problem> problem = core::configuration_error(config->routing)) {
        return *std::move(problem);
    }
    return std::move(config->routing);
}

}  // namespace ome::controller
