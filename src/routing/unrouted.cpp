#include <ome/routing/traffic_pass.hpp>
#include <ome/routing/unrouted.hpp>

namespace ome::routing {

std::string why_not_routed(const InferenceService& service,
                           const core::RoutingSettings& installation) {
    if (service.deleting) {
        return "it is being deleted";
    }
    if (!installation.enabled.value_or(false)) {
        return "routing.enabled of the configuration is not true";
    }
    if (!routing_enabled(installation, service.routing)) {
        return "spec.routing.enabled is false";
    }
    return service.derived_copy ? "it is a copy that placement made of another one"
                                : "spec.placement is absent";
}

}  // namespace ome::routing
