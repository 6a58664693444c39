// Who is routed, whose map it is and what of it survives: contract/trafficmap.md 1.4 and 9,
// contract/observer.md 9.3.
#include "routing_input.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/fleet.hpp>
#include <ome/routing/ownership.hpp>

#include <stdexcept>

namespace ome::conformance {
namespace {

bool flag(const json::object& input, std::string_view name, bool otherwise) {
    const json::value* value = present(input, name);
    return value ? value->as_bool() : otherwise;
}

json::object is_placement_eligible(const json::object& input, const json::object&) {
    return {{"eligible", routing::eligible(service_of(input.at("isvc")))}};
}

core::RoutingSettings installation(bool enabled) {
    core::RoutingSettings settings;
    settings.enabled = enabled;
    return settings;
}

json::object routing_enabled(const json::object& input, const json::object&) {
    core::ServiceRoutingSettings service;
    if (const json::value* own = present(input, "specRoutingEnabled")) {
        service.enabled = own->as_bool();
    }
    return {{"enabled",
             routing::routing_enabled(installation(input.at("installationEnabled").as_bool()),
                                      service)}};
}

std::string plan_id(const json::object& input, std::string_view name) {
    const json::value* plan = present(input, name);
    return plan ? text(*plan) : std::string();
}

routing::InferenceService service_in(const json::object& input) {
    json::object placement{{"policy", "ClusterAffinity"}, {"mode", "All"}};
    if (const json::value* policy = present(input, "policy")) {
        placement["policy"] = *policy;
    }
    json::object metadata{
        {"namespace", "prod"}, {"name", "svc"}, {"uid", "uid-1"}, {"generation", 1}};
    if (const json::value* annotations = present(input, "annotations")) {
        metadata.emplace("annotations", *annotations);
    }
    json::object spec;
    if (flag(input, "eligible", true)) {
        spec.emplace("placement", placement);
    }
    routing::InferenceService service =
        service_of(json::object{{"metadata", metadata}, {"spec", spec}});
    service.deleting = flag(input, "deleting", false);
    service.status.emplace().phase = "Placed";
    const std::string id = plan_id(input, "plan");
    if (flag(input, "hasPlan", !id.empty())) {
        service.status->plan.emplace().id = id.empty() ? "plan-a" : id;
    }
    return service;
}

routing::OwnerReference owner_in(const std::string& whose,
                                 const routing::InferenceService& service) {
    routing::OwnerReference owner = routing::owner_reference(service);
    if (whose == "other" || whose == "gone") {
        owner.uid = "uid-" + whose;
    } else if (whose != "exact") {
        throw std::runtime_error("no such controller: " + whose);
    }
    return owner;
}

std::vector<std::string> texts_in(const json::object& object, std::string_view name) {
    std::vector<std::string> found;
    if (const json::value* values = present(object, name)) {
        for (const json::value& value : values->as_array()) {
            found.push_back(text(value));
        }
    }
    return found;
}

routing::TrafficMap map_in(const json::object& stored, const routing::InferenceService& service) {
    require_only(stored,
                 {"controller",
                  "controllers",
                  "sourceUID",
                  "finalizers",
                  "claimedTargets",
                  "service",
                  "deleting",
                  "uid",
                  "resourceVersion"});
    routing::TrafficMap map;
    map.meta.key = service.key;
    map.meta.uid = stored.contains("uid") ? text(stored.at("uid")) : "map-uid";
    map.meta.resource_version =
        stored.contains("resourceVersion") ? text(stored.at("resourceVersion")) : "1";
    map.meta.finalizers = texts_in(stored, "finalizers");
    std::vector<std::string> controllers = texts_in(stored, "controllers");
    if (const json::value* controller = present(stored, "controller")) {
        controllers.push_back(text(*controller));
    }
    for (const std::string& whose : controllers) {
        map.meta.owner_references.push_back(owner_in(whose, service));
    }
    if (flag(stored, "deleting", false)) {
        map.meta.deletion_timestamp = core::WallTime{};
    }
    const std::string source = stored.contains("sourceUID") ? text(stored.at("sourceUID")) : "";
    map.status.source_uid = source == "same" ? service.uid : source;
    map.spec.service = stored.contains("service") ? text(stored.at("service")) : service.key.name;
    if (stored.contains("claimedTargets")) {
        map.status.publisher.emplace().claimed_targets = texts_in(stored, "claimedTargets");
    }
    return map;
}

json::object failure(const std::string& error) {
    return {{"action", "error"}, {"error", error}};
}

json::object reaped(const routing::Reap& reap, const json::object& input) {
    switch (reap.action) {
        case routing::Reap::Action::Nothing:
            return {{"action", "none"}};
        case routing::Reap::Action::Fail:
            return failure(reap.error);
        case routing::Reap::Action::Delete:
            break;
    }
    json::array preconditions;
    if (!reap.uid.empty()) {
        preconditions.emplace_back("uid");
    }
    if (!reap.resource_version.empty()) {
        preconditions.emplace_back("resourceVersion");
    }
    const json::value* result = present(input, "deleteResult");
    if (result != nullptr && text(*result) != "Conflict") {
        throw std::runtime_error("no such result of a delete: " + text(*result));
    }
    return {{"action", result ? "requeue" : "delete"}, {"preconditions", std::move(preconditions)}};
}

routing::InferenceService live_in(const json::object& input,
                                  const routing::InferenceService& service) {
    routing::InferenceService live = service;
    if (const std::string id = plan_id(input, "livePlan"); !id.empty()) {
        live.status->plan.emplace().id = id;
    }
    live.generation += flag(input, "liveGenerationNewer", false) ? 1 : 0;
    return live;
}

json::object written(const routing::InferenceService& service,
                     const routing::RoutedService& routed,
                     const routing::TrafficMap* map,
                     const json::object& input) {
    if (const auto refusal = routing::write_refusal(service, map)) {
        return failure(refusal->message);
    }
    const routing::InferenceService live = live_in(input, service);
    if (const auto stale = routing::stale_snapshot(service, &live)) {
        return failure(stale->message);
    }
    const routing::Plan plan = routing::build_plan(service, routed, {});
    if (map == nullptr) {
        return {{"action", "create"}};
    }
    const bool same =
        routing::difference(map->spec, plan.spec, routed.policies) == routing::Difference::None;
    return {{"action", same ? "none" : "update"}};
}

json::object action(const routing::InferenceService& service,
                    const routing::TrafficMap* map,
                    const json::object& input) {
    if (flag(input, "sourceAbsent", false)) {
        return reaped(routing::reap_without_source(service.key, map), input);
    }
    const auto admitted =
        routing::admit(service, installation(flag(input, "routingEnabled", true)));
    if (!admitted) {
        return failure(admitted.error().message);
    }
    return *admitted ? written(service, **admitted, map, input)
                     : reaped(routing::reap(service, map), input);
}

json::object reconcile_action(const json::object& input, const json::object& expect) {
    const routing::InferenceService service = service_in(input);
    std::optional<routing::TrafficMap> map;
    if (const json::value* stored = present(input, "map")) {
        map = map_in(stored->as_object(), service);
    }
    json::object result = action(service, map ? &*map : nullptr, input);
    const std::string done = text(result.at("action"));
    const bool writes = done == "create" || done == "update";
    result.emplace("mapCreated", done == "create");
    result.emplace("mapStaysUntilFinalizerRemoved",
                   done == "delete" && map && !map->meta.finalizers.empty());
    result.emplace("sourceUIDAfter",
                   writes ? service.uid : (map ? map->status.source_uid : std::string()));
    if (const json::value* wanted = expect.if_contains("errorContains");
        wanted != nullptr && result.contains("error")) {
        const std::string error = text(result.at("error"));
        result.emplace("errorContains",
                       error.find(text(*wanted)) != error.npos ? text(*wanted) : error);
    }
    if (const json::value* wanted = expect.if_contains("ownerReference"); wanted && writes) {
        const routing::OwnerReference owner = routing::owner_reference(service);
        result.emplace(
            "ownerReference",
            narrowed({{"apiVersion", owner.api_version},
                      {"kind", owner.kind},
                      {"name", owner.name},
                      {"uid", owner.uid},
                      {"controller", owner.controller.value_or(false)},
                      {"blockOwnerDeletion", owner.block_owner_deletion.value_or(false)}},
                     *wanted));
    }
    return result;
}

const std::string current_digest = "sha256:current";

std::string digest_in(const json::value& value) {
    return text(value) == "<current>" ? current_digest : text(value);
}

core::ProbeResult result_in(const json::object& entry) {
    const json::value* name = present(entry, "result");
    for (const auto result : {core::ProbeResult::Passing, core::ProbeResult::Failing}) {
        if (name != nullptr && text(*name) == core::to_string(result)) {
            return result;
        }
    }
    return core::ProbeResult::Unknown;
}

routing::Entry saved_entry(const json::object& saved, core::WallTime epoch) {
    require_only(saved,
                 {"cluster",
                  "endpoint",
                  "policyDigest",
                  "result",
                  "gated",
                  "consecutiveFailures",
                  "message",
                  "lastProbeTime_ms"});
    routing::Entry entry;
    entry.cluster = text(saved.at("cluster"));
    entry.endpoint = text(saved.at("endpoint"));
    routing::EntryProbe& probe = entry.probe.emplace();
    probe.policy_digest = digest_in(saved.at("policyDigest"));
    probe.result = result_in(saved);
    probe.gated = flag(saved, "gated", false);
    probe.consecutive_failures = count_of(saved, "consecutiveFailures");
    probe.message = saved.contains("message") ? text(saved.at("message")) : "";
    if (const json::value* at = present(saved, "lastProbeTime_ms")) {
        probe.last_probe_time = epoch + std::chrono::milliseconds(integer(*at));
    }
    return entry;
}

routing::TrafficMap saved_map(const json::object& saved, core::WallTime epoch) {
    require_only(saved, {"mapNamespace", "mapName", "service", "owner", "entry"});
    routing::TrafficMap map;
    map.meta.key = {text(saved.at("mapNamespace")), text(saved.at("mapName"))};
    map.spec.service = text(saved.at("service"));
    if (const json::value* owner = present(saved, "owner")) {
        const json::object& reference = owner->as_object();
        require_only(reference, {"apiVersion", "kind", "name", "uid", "controller"});
        map.meta.owner_references.push_back({text(reference.at("apiVersion")),
                                             text(reference.at("kind")),
                                             text(reference.at("name")),
                                             text(reference.at("uid")),
                                             flag(reference, "controller", false),
                                             std::nullopt});
    }
    if (const json::value* entry = present(saved, "entry")) {
        map.spec.entries.push_back(saved_entry(entry->as_object(), epoch));
    }
    return map;
}

core::ServiceDeclaration declaration_of(const json::object& target, const json::value& period) {
    core::ServiceDeclaration declaration;
    declaration.key = {text(target.at("namespace")), text(target.at("name"))};
    declaration.owner_uid = text(target.at("ownerUID"));
    core::ProbePolicy& policy = declaration.probe.emplace();
    policy.path = "/";
    policy.period = core::parse_duration(text(period)).value();
    policy.timeout = policy.period / 2;
    policy.digest = digest_in(target.at("policyDigest"));
    declaration.homes.push_back({text(target.at("cluster")), text(target.at("endpoint")), {}});
    return declaration;
}

// What the observer makes of it: a fleet of one home that is declared at this instant.
json::object first_sight(const core::ServiceDeclaration& declaration, core::Now now) {
    core::Fleet fleet{std::chrono::seconds(1)};
    std::ignore = fleet.declare(declaration, now);
    const core::ServiceReading reading = fleet.read(declaration.key, now).value();
    const auto& probe = reading.homes.at(0).probe;
    json::object result{{"restored", probe.has_value()}, {"probe_due_in_ms", 0}};
    if (probe) {
        result.emplace("gated", probe->gated);
        result.emplace("result", core::to_string(probe->result));
        result.emplace("message", probe->message);
        result.emplace("consecutiveFailures", probe->consecutive_failures);
        result.emplace("reachable", probe->conclusive ? json::value(!probe->gated) : json::value());
    }
    fleet.gather(now);
    if (!fleet.take(now)) {
        result["probe_due_in_ms"] =
            (probe.value().next_attempt_time.value() - now.wall) / std::chrono::milliseconds(1);
    }
    return result;
}

json::object restore(const json::object& input, const json::object&) {
    const core::WallTime epoch = stamp_of(input.at("epoch"));
    const json::object& target = input.at("target").as_object();
    require_only(target, {"ownerUID", "namespace", "name", "cluster", "endpoint", "policyDigest"});
    core::ServiceDeclaration declaration = declaration_of(target, input.at("period"));
    routing::InferenceService service;
    service.key = declaration.key;
    service.uid = declaration.owner_uid;
    if (const json::value* saved = present(input, "persisted")) {
        const routing::TrafficMap map = saved_map(saved->as_object(), epoch);
        core::HomeDeclaration& home = declaration.homes.front();
        home.restored = routing::restorable_probe(
            service, &map, home.cluster, home.endpoint, declaration.probe->digest);
    }
    const core::Now now{core::SteadyTime(std::chrono::hours(1)),
                        epoch + std::chrono::milliseconds(integer(input.at("now_ms")))};
    return first_sight(declaration, now);
}

}  // namespace

void add_life_operations(std::vector<Operation>& all) {
    all.push_back(
        {"eligibility", "is_placement_eligible", {"isvc"}, {"eligible"}, is_placement_eligible});
    all.push_back({"eligibility",
                   "routing_enabled",
                   {"installationEnabled", "specRoutingEnabled"},
                   {"enabled"},
                   routing_enabled});
    all.push_back({"eligibility",
                   "reconcile_action",
                   {"annotations",
                    "deleteResult",
                    "deleting",
                    "eligible",
                    "hasPlan",
                    "liveGenerationNewer",
                    "livePlan",
                    "map",
                    "plan",
                    "policy",
                    "routingEnabled",
                    "sourceAbsent"},
                   {"action",
                    "error",
                    "errorContains",
                    "mapCreated",
                    "mapStaysUntilFinalizerRemoved",
                    "ownerReference",
                    "preconditions",
                    "sourceUIDAfter"},
                   reconcile_action});
    all.push_back({"probe_gate",
                   "restore",
                   {"epoch", "now_ms", "period", "persisted", "target"},
                   {"consecutiveFailures",
                    "gated",
                    "message",
                    "probe_due_in_ms",
                    "reachable",
                    "restored",
                    "result"},
                   restore});
}

}  // namespace ome::conformance
