#include "services_file.hpp"

#include "duration_text.hpp"
#include "sockets.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::homesim {
namespace {

namespace json = boost::json;

json::object capacity(const ServicesFile& settings) {
    return {{"path", settings.poll_path},
            {"method", "GET"},
            {"format", "Report"},
            {"samples", settings.samples},
            {"quorum", settings.quorum},
            {"period", format_duration(settings.period)},
            {"timeout", format_duration(settings.timeout)},
            {"maxAge", format_duration(settings.max_age)}};
}

json::object probe(const ServicesFile& settings) {
    return {{"path", "/v1/models"},
            {"method", "GET"},
            {"acceptStatuses", json::array{200}},
            {"gateStatuses", json::array{404, 500, 502, 503, 504}},
            {"period", format_duration(settings.period)},
            {"timeout", format_duration(settings.timeout)},
            {"failureThreshold", 3},
            {"successThreshold", 2},
            {"allFailedPolicy", "PreserveTraffic"}};
}

json::array homes_of(const ServicesFile& settings,
                     const std::vector<std::string>& homes,
                     std::size_t from) {
    json::array out;
    const std::size_t end = std::min(homes.size(), from + settings.homes_per_service);
    for (std::size_t i = from; i < end; ++i) {
        const std::uint16_t port = settings.ports[i % settings.ports.size()];
        const std::string endpoint =
            settings.by_address
                ? fmt::format("http://{}:{}", indexed_address(i), port)
                : fmt::format("http://{}:{}/h/{}", settings.address, port, homes[i]);
        out.push_back({{"cluster", homes[i]}, {"endpoint", endpoint}});
    }
    return out;
}

json::object service(const ServicesFile& settings,
                     const std::vector<std::string>& homes,
                     std::size_t from) {
    const std::size_t number = from / settings.homes_per_service;
    json::object out{{"namespace", "homesim"},
                     {"name", fmt::format("service-{}", number)},
                     {"ownerUID", fmt::format("homesim-{}", number)}};
    if (settings.poll) {
        out["capacity"] = capacity(settings);
    }
    if (settings.probe) {
        out["probe"] = probe(settings);
    }
    out["homes"] = homes_of(settings, homes, from);
    return out;
}

}  // namespace

std::string services_file(const ServicesFile& settings, const std::vector<std::string>& homes) {
    std::string text = "[";
    for (std::size_t from = 0; from < homes.size(); from += settings.homes_per_service) {
        text += (from == 0 ? "\n" : ",\n") + json::serialize(service(settings, homes, from));
    }
    return text + "\n]\n";
}

}  // namespace ome::homesim
