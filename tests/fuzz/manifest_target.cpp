#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <tuple>

namespace ome::fuzz {
namespace {

std::size_t lines_of(std::string_view input) {
    return static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n')) +
           static_cast<std::size_t>(std::count(input.begin(), input.end(), '\r')) + 1;
}

void check_services(std::string_view input) {
    const auto read = wire::read_inference_services(input);
    if (!read) {
        require_readable(read.error().message);
        return;
    }
    for (const wire::InferenceServiceDocument& document : read->services) {
        require(document.line <= lines_of(input), "a service begins on a line of the text");
        if (!document.service) {
            require_readable(document.service.error().message);
        } else {
            require(document.key == document.service->key, "a service that is read has a key");
        }
    }
}

routing::TrafficMap read_back(const std::string& text) {
    const auto read = wire::read_traffic_maps(text);
    require(read && read->size() == 1 && read->front().map, "a written map can be read");
    return *read->front().map;
}

void check_maps(std::string_view input) {
    const auto read = wire::read_traffic_maps(input);
    if (!read) {
        require_readable(read.error().message);
        return;
    }
    for (const wire::TrafficMapDocument& document : *read) {
        if (!document.map) {
            require_readable(document.map.error().message);
            continue;
        }
        std::string json;
        wire::append_traffic_map_json(json, *document.map);
        boost::json::error_code ec;
        std::ignore = boost::json::parse(json, ec);
        require(!ec, "a written map is JSON");
        std::string yaml;
        wire::append_traffic_map_yaml(yaml, *document.map);
        require(read_back(json) == *document.map, "JSON reads back the same");
        require(read_back(yaml) == *document.map, "YAML reads back the same");
    }
}

}  // namespace

void check_manifest(std::string_view input) {
    check_services(input);
    check_maps(input);
}

}  // namespace ome::fuzz
