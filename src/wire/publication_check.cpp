#include "publication_check.hpp"

#include <ome/routing/publication_plan.hpp>

#include <optional>
#include <string_view>

namespace ome::wire {
namespace {

using routing::PublicationSettings;

// The problem, if it is of this setting and of no other.
std::optional<core::Problem> problem_of(std::string_view field,
                                        const PublicationSettings& settings) {
    routing::InferenceService service;
    service.key = {"default", "sample"};
    routing::TrafficMap map;
    map.meta.key = service.key;
    map.spec.service = service.key.name;
    const auto plan = routing::plan_publication(map, service, settings);
    return plan || plan.error().field != field ? std::nullopt : std::optional(plan.error());
}

}  // namespace

std::vector<core::Problem> publication_problems(const core::RoutingSettings& routing,
                                                const core::GatewaySettings& gateway) {
    const PublicationSettings given = routing::publication_settings(routing, gateway);
    PublicationSettings only_template = given;
    only_template.gateway = "sample";
    only_template.backend_port = 1;
    PublicationSettings only_gateway = given;
    only_gateway.host_template = "sample.example";
    only_gateway.backend_port = 1;
    std::vector<core::Problem> problems;
    for (const auto& [field, settings] : {std::pair<std::string_view, const PublicationSettings&>{
                                              "endpoint.globalHostTemplate", only_template},
                                          {"endpoint.globalGateway", only_gateway}}) {
        if (auto problem = problem_of(field, settings)) {
            problems.push_back(*std::move(problem));
        }
    }
    return problems;
}

}  // namespace ome::wire
