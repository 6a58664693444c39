#include <ome/core/endpoint.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/ownership.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::routing {
namespace {

constexpr std::string_view owner_kind = "InferenceService";

bool is_controller(const OwnerReference& owner) {
    return owner.controller.value_or(false);
}

bool has_controller(const TrafficMap& map) {
    const auto& owners = map.meta.owner_references;
    return std::any_of(owners.begin(), owners.end(), is_controller);
}

std::string name_of(const core::ServiceKey& key) {
    return fmt::format("TrafficMap {}/{}", key.ns, key.name);
}

core::Problem foreign(const InferenceService& service) {
    return {fmt::format("{} exists but is not controlled by InferenceService UID {}",
                        name_of(service.key),
                        core::go_quote(service.uid)),
            "metadata.ownerReferences"};
}

std::optional<core::Problem> other_source(const InferenceService& service, const TrafficMap& map) {
    const std::string& source = map.status.source_uid;
    if (source.empty() || source == service.uid) {
        return std::nullopt;
    }
    return core::Problem{fmt::format("{} source UID {} does not match InferenceService UID {}",
                                     name_of(service.key),
                                     core::go_quote(source),
                                     core::go_quote(service.uid)),
                         "status.sourceUID"};
}

Reap failed(std::string error) {
    Reap reap;
    reap.action = Reap::Action::Fail;
    reap.error = std::move(error);
    return reap;
}

// A publisher that holds claims restores its finalizer first; the watch brings us back then.
bool publisher_must_act_first(const TrafficMap& map) {
    const auto& finalizers = map.meta.finalizers;
    return map.status.publisher && !map.status.publisher->claimed_targets.empty() &&
           std::find(finalizers.begin(), finalizers.end(), publisher_finalizer) == finalizers.end();
}

Reap removal(const core::ServiceKey& key, const TrafficMap& map) {
    if (publisher_must_act_first(map)) {
        return {};
    }
    if (map.meta.uid.empty()) {
        return failed(fmt::format("reap {}: UID is empty", name_of(key)));
    }
    if (map.meta.resource_version.empty()) {
        return failed(fmt::format("reap {}: resourceVersion is empty", name_of(key)));
    }
    return {Reap::Action::Delete, map.meta.uid, map.meta.resource_version, {}};
}

bool gone_or_going(const TrafficMap* map) {
    return map == nullptr || map->meta.deletion_timestamp.has_value();
}

// Userinfo is part of the identity here: both texts come from our own objects.
bool same_endpoint(const std::string& a, const std::string& b) {
    const auto left = core::canonicalize(a);
    const auto right = core::canonicalize(b);
    return left && right && left->canonical == right->canonical;
}

const Entry* entry_of(const TrafficMap& map,
                      const std::string& cluster,
                      const std::string& endpoint) {
    for (const Entry& entry : map.spec.entries) {
        if (entry.cluster == cluster && same_endpoint(entry.endpoint, endpoint)) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace

bool exactly_owned(const TrafficMap& map, const core::ServiceKey& key, const std::string& uid) {
    const auto ours = [&](const OwnerReference& owner) {
        return !is_controller(owner) ||
               (owner.api_version == api_version && owner.kind == owner_kind &&
                owner.name == key.name && owner.uid == uid);
    };
    const auto& owners = map.meta.owner_references;
    return !uid.empty() && has_controller(map) && std::all_of(owners.begin(), owners.end(), ours);
}

OwnerReference owner_reference(const InferenceService& service) {
    return {std::string(api_version),
            std::string(owner_kind),
            service.key.name,
            service.uid,
            true,
            true};
}

std::optional<core::Problem> write_refusal(const InferenceService& service, const TrafficMap* map) {
    if (map == nullptr) {
        return std::nullopt;
    }
    if (!exactly_owned(*map, service.key, service.uid)) {
        return foreign(service);
    }
    return other_source(service, *map);
}

std::optional<core::Problem> stale_snapshot(const InferenceService& used,
                                            const InferenceService* live) {
    if (!used.status || !used.status->plan) {
        return std::nullopt;
    }
    const std::string name = fmt::format("InferenceService {}/{}", used.key.ns, used.key.name);
    if (live == nullptr || live->uid != used.uid) {
        return core::Problem{name + " is no longer the one the placement plan was read from",
                             "metadata.uid"};
    }
    if (live->generation != used.generation) {
        return core::Problem{
            fmt::format("{} is at generation {}, the placement plan was read at {}",
                        name,
                        live->generation,
                        used.generation),
            "metadata.generation"};
    }
    const PlacementPlan& plan = *used.status->plan;
    const bool same = live->status && live->status->plan && live->status->plan->id == plan.id &&
                      live->status->plan->revision == plan.revision;
    return same ? std::nullopt
                : std::optional(core::Problem{
                      fmt::format(
                          "{} has a newer placement plan than {}", name, core::go_quote(plan.id)),
                      "status.placement.plan"});
}

Reap reap(const InferenceService& service, const TrafficMap* map) {
    if (gone_or_going(map)) {
        return {};
    }
    if (service.uid.empty()) {
        return failed(fmt::format("reap {}: InferenceService UID is empty", name_of(service.key)));
    }
    if (exactly_owned(*map, service.key, service.uid)) {
        const auto problem = other_source(service, *map);
        return problem ? failed(problem->message) : removal(service.key, *map);
    }
    const bool orphan_of_ours = !has_controller(*map) && map->status.source_uid == service.uid;
    return orphan_of_ours ? removal(service.key, *map) : Reap{};
}

Reap reap_without_source(const core::ServiceKey& key, const TrafficMap* map) {
    if (gone_or_going(map) || has_controller(*map) || map->status.source_uid.empty() ||
        map->spec.service != map->meta.key.name) {
        return {};
    }
    return removal(key, *map);
}

std::optional<core::RestoredProbe> restorable_probe(const InferenceService& service,
                                                    const TrafficMap* map,
                                                    const std::string& cluster,
                                                    const std::string& endpoint,
                                                    const std::string& policy_digest) {
    if (map == nullptr || map->meta.key != service.key || map->spec.service != service.key.name ||
        !exactly_owned(*map, service.key, service.uid)) {
        return std::nullopt;
    }
    const Entry* entry = entry_of(*map, cluster, endpoint);
    if (entry == nullptr || !entry->probe || entry->probe->policy_digest != policy_digest) {
        return std::nullopt;
    }
    const EntryProbe& probe = *entry->probe;
    return core::RestoredProbe{.policy_digest = probe.policy_digest,
                               .gated = probe.gated,
                               .consecutive_failures = probe.consecutive_failures,
                               .result = probe.result,
                               .message = probe.message,
                               .last_probe_time = probe.last_probe_time};
}

}  // namespace ome::routing
