#include "integration/declarations.hpp"

#include <boost/json/serialize.hpp>

namespace ome::test {
namespace {

namespace json = boost::json;

}  // namespace

json::object capacity_policy(const Rhythm& rhythm) {
    return {{"path", "/capacity"},
            {"method", "GET"},
            {"format", "Report"},
            {"samples", 4},
            {"quorum", 2},
            {"period", rhythm.period},
            {"timeout", rhythm.timeout},
            {"maxAge", rhythm.max_age}};
}

json::object probe_policy(const Rhythm& rhythm) {
    return {{"path", "/v1/models"},
            {"method", "GET"},
            {"acceptStatuses", {200}},
            {"gateStatuses", {404, 500, 502, 503, 504}},
            {"period", rhythm.period},
            {"timeout", rhythm.timeout},
            {"failureThreshold", 3},
            {"successThreshold", 2},
            {"allFailedPolicy", "PreserveTraffic"}};
}

json::object service(const std::string& name,
                     const std::vector<std::string>& clusters,
                     const std::function<std::string(const std::string&)>& endpoint_of,
                     const Rhythm& rhythm) {
    json::array homes;
    for (const std::string& cluster : clusters) {
        homes.push_back(json::object{{"cluster", cluster}, {"endpoint", endpoint_of(cluster)}});
    }
    return {{"namespace", "default"},
            {"name", name},
            {"ownerUID", "uid-" + name},
            {"capacity", capacity_policy(rhythm)},
            {"probe", probe_policy(rhythm)},
            {"homes", std::move(homes)}};
}

std::string fleet(std::size_t count,
                  std::size_t per_service,
                  const std::function<std::string(const std::string&)>& endpoint_of,
                  const Rhythm& rhythm,
                  bool polls,
                  bool probes) {
    json::array services;
    for (std::size_t first = 0; first < count; first += per_service) {
        std::vector<std::string> clusters;
        for (std::size_t i = first; i < std::min(first + per_service, count); ++i) {
            clusters.push_back("home-" + std::to_string(i));
        }
        json::object one = service(
            "service-" + std::to_string(first / per_service), clusters, endpoint_of, rhythm);
        if (!polls) {
            one.erase("capacity");
        }
        if (!probes) {
            one.erase("probe");
        }
        services.push_back(std::move(one));
    }
    return json::serialize(services);
}

}  // namespace ome::test
