// Whether a map is that of its service as it is now (contract/publisher-cli.md 1.8, step 5).
#include <ome/core/text.hpp>
#include <ome/routing/publication_step.hpp>

#include <fmt/format.h>

namespace ome::routing {
namespace {

const OwnerReference* controller_of(const TrafficMap& map) {
    for (const OwnerReference& owner : map.meta.owner_references) {
        if (owner.controller.value_or(false)) {
            return &owner;
        }
    }
    return nullptr;
}

// The first check of the owner that fails.
std::optional<std::string> owner_fault(const TrafficMap& map, const OwnerReference* owner) {
    if (owner == nullptr || owner->api_version != api_version ||
        owner->kind != "InferenceService" || owner->name.empty() || owner->uid.empty()) {
        return "has no controller that is an InferenceService with name and UID";
    }
    if (map.meta.key.name != owner->name) {
        return fmt::format("is controlled by InferenceService {}", core::go_quote(owner->name));
    }
    if (map.spec.service != owner->name) {
        return fmt::format("has spec.service {}", core::go_quote(map.spec.service));
    }
    return std::nullopt;
}

std::optional<std::string> source_fault(const TrafficMap& map,
                                        const OwnerReference& owner,
                                        const InferenceService& service) {
    if (service.uid != owner.uid) {
        return fmt::format("is of InferenceService UID {}, which is {} now",
                           core::go_quote(owner.uid),
                           core::go_quote(service.uid));
    }
    if (map.status.source_uid != service.uid) {
        return fmt::format("has status.sourceUID {}, the InferenceService is {}",
                           core::go_quote(map.status.source_uid),
                           core::go_quote(service.uid));
    }
    if (map.spec.observed_isvc_generation != service.generation) {
        return fmt::format("was made from generation {} of its InferenceService, which is at {}",
                           map.spec.observed_isvc_generation,
                           service.generation);
    }
    return std::nullopt;
}

}  // namespace

bool holds_publisher_state(const TrafficMap& map) {
    const TrafficMapStatus& status = map.status;
    return status.publisher.has_value() || status.published.value_or(false) ||
           status.gateway_ref.has_value() || status.observed_traffic_map_generation != 0;
}

std::optional<Verdict> owner_verdict(const TrafficMap& map, const InferenceService* service) {
    const std::string name = fmt::format("TrafficMap {}/{} ", map.meta.key.ns, map.meta.key.name);
    const OwnerReference* owner = controller_of(map);
    if (const auto fault = owner_fault(map, owner)) {
        return Verdict{Publication::InvalidOwner, {name + *fault}};
    }
    if (service == nullptr) {
        return Verdict{
            Publication::InvalidOwner,
            {fmt::format(
                "read InferenceService {}/{}: not found", map.meta.key.ns, map.meta.key.name)},
            Retry::Backoff};
    }
    if (const auto fault = source_fault(map, *owner, *service)) {
        return Verdict{Publication::InvalidOwner, {name + *fault}};
    }
    return std::nullopt;
}

}  // namespace ome::routing
