// Entries, drains and conditions: contract/trafficmap.md 2, 7 and 8, contract/publisher-cli.md 2.
#include "routing_input.hpp"
#include <ome/routing/fallback_code.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <array>

namespace ome::conformance {
namespace {

// As it is written. A case may give a home's reachability without the record that goes with it;
// what stands in that record is then left open.
json::object spec_of(const Situation& situation,
                     const routing::TrafficMapSpec& spec,
                     const json::object& input) {
    routing::TrafficMap map;
    map.meta.key = situation.service.key;
    map.spec = spec;
    const json::value* states = present(input, "probeState");
    for (routing::Entry& entry : map.spec.entries) {
        const json::value* state =
            states ? states->as_object().if_contains(entry.cluster) : nullptr;
        if (state != nullptr && !state->as_object().contains("block")) {
            entry.probe.reset();
        }
    }
    std::string written;
    wire::append_traffic_map_json(written, map);
    return json::parse(written).as_object().at("spec").as_object();
}

// An expectation of `fallbackReason` may end where a parser's own words begin.
json::object build_spec(const json::object& input, const json::object& expect) {
    const Situation situation = situation_of_service(input);
    const routing::Plan plan =
        routing::build_plan(situation.service, situation.routed, situation.observed);
    json::object result{{"spec", spec_of(situation, plan.spec, input)}};
    if (const json::value* routable = expect.if_contains("routable")) {
        result.emplace("routable",
                       shown(routing::routable_condition(plan.verdict, plan.spec.entries.size()),
                             routable->as_object()));
    }
    return result;
}

json::object serving_homes(const json::object& input, const json::object&) {
    json::array clusters;
    for (const routing::Home& home : routing::serving_homes(service_of(input.at("isvc")))) {
        clusters.emplace_back(home.cluster);
    }
    return {{"clusters", std::move(clusters)}};
}

json::object drain_apply(const json::object& input, const json::object& expect) {
    const Situation situation = situation_of_service(input);
    const routing::Plan plan =
        routing::build_plan(situation.service, situation.routed, situation.observed);
    json::array entries;
    for (const routing::Entry& entry : plan.spec.entries) {
        entries.push_back(json::object{
            {"cluster", entry.cluster},
            {"weight", entry.weight},
            {"healthy", entry.healthy},
            {"drainRefs", json::array(entry.drain_refs.begin(), entry.drain_refs.end())}});
    }
    json::object result{{"entries", std::move(entries)}};
    const auto conditions = routing::routing_conditions(
        plan.spec, 1, plan.verdict, situation.routed, {}, core::WallTime{});
    const std::array<std::pair<const char*, std::size_t>, 2> shown_ones = {
        {{"routable", 0}, {"overrideActive", 2}}};
    for (const auto& [name, index] : shown_ones) {
        if (const json::value* wanted = expect.if_contains(name)) {
            result.emplace(name, shown(conditions.at(index), wanted->as_object()));
        }
    }
    return result;
}

// Behind these the JSON reader speaks in its own words.
std::string without_parser_words(const std::string& message) {
    for (const std::string_view stage : {"decode top-level object: ",
                                         "decode override ID: ",
                                         "decode object: ",
                                         "decode field: ",
                                         "must be a string: ",
                                         "close object: ",
                                         "close top-level object: ",
                                         "decode trailing data: "}) {
        if (const std::size_t at = message.find(stage); at != message.npos) {
            return message.substr(0, at + stage.size());
        }
    }
    return message;
}

void emplace_error(json::object& result, const std::string& error, const json::object& expect) {
    result.emplace("error", error);
    if (const json::value* wanted = expect.if_contains("error")) {
        const bool same = without_parser_words(error) == without_parser_words(text(*wanted));
        result["error"] = same ? text(*wanted) : error;
    }
    if (const json::value* wanted = expect.if_contains("errorPrefix")) {
        result.emplace("errorPrefix", error.starts_with(text(*wanted)) ? text(*wanted) : error);
    }
    if (const json::value* wanted = expect.if_contains("errorContains")) {
        const bool contains = error.find(text(*wanted)) != error.npos;
        result.emplace("errorContains", contains ? text(*wanted) : error);
    }
}

std::optional<std::string> annotation_of(const json::value& value) {
    return value.is_null() ? std::nullopt : std::optional(text(value));
}

json::object drain_parse(const json::object& input, const json::object& expect) {
    const auto drains = routing::parse_drains(annotation_of(input.at("annotation")));
    if (drains) {
        return {{"overrides", overrides_of(*drains)}};
    }
    json::object result;
    emplace_error(result, drains.error().message, expect);
    return result;
}

// A service with this annotation, and nothing else to find fault with.
core::Result<std::optional<routing::RoutedService>> admitted_with(
    const std::optional<std::string>& annotation) {
    routing::InferenceService service;
    service.key = {"prod", "svc"};
    service.placement = routing::PlacementIntent{.policy = "ClusterAffinity", .mode = "All"};
    service.drains = annotation;
    core::RoutingSettings installation;
    installation.enabled = true;
    return routing::admit(service, installation);
}

json::object reconcile_error(const json::object& input, const json::object& expect) {
    const auto admitted = admitted_with(annotation_of(input.at("annotation")));
    json::object result{{"mapUnchanged", admitted.has_error()},
                        {"statusUnchanged", admitted.has_error()}};
    if (!admitted) {
        emplace_error(result, admitted.error().message, expect);
    }
    return result;
}

// Homes that have these weights, and drains as `{"<id>": "<cluster>"}` without the one left out.
routing::Plan drained(const json::object& input, std::string_view left_out) {
    json::array homes;
    for (const auto& [cluster, weight] : input.at("baseWeights").as_object()) {
        homes.push_back(
            json::object{{"cluster", cluster}, {"allocated", weight}, {"ready", weight}});
    }
    Situation situation = situation_of_homes({{"homes", std::move(homes)}});
    for (const auto& [id, cluster] : input.at("drains").as_object()) {
        if (id != left_out) {
            situation.routed.drains.push_back(
                {std::string(std::string_view(id)), text(cluster), "why"});
        }
    }
    return routing::build_plan(situation.service, situation.routed, situation.observed);
}

json::object drains_of_homes(const json::object& input, const json::object& expect) {
    json::object weights;
    json::object refs;
    for (const routing::Entry& entry : drained(input, "").spec.entries) {
        weights.emplace(entry.cluster, entry.weight);
        if (!entry.drain_refs.empty()) {
            refs.emplace(entry.cluster,
                         json::array(entry.drain_refs.begin(), entry.drain_refs.end()));
        }
    }
    json::object result{{"weights", std::move(weights)}, {"drainRefs", std::move(refs)}};
    constexpr std::string_view after = "afterUndrain ";
    for (const auto& [key, wanted] : expect) {
        if (!std::string_view(key).starts_with(after)) {
            continue;
        }
        json::object shown_ones;
        for (const routing::Entry& entry :
             drained(input, std::string_view(key).substr(after.size())).spec.entries) {
            if (wanted.as_object().contains(entry.cluster)) {
                shown_ones.emplace(entry.cluster, entry.weight);
                shown_ones.emplace("drainRefs",
                                   json::array(entry.drain_refs.begin(), entry.drain_refs.end()));
            }
        }
        result.emplace(key, std::move(shown_ones));
    }
    return result;
}

json::object drain_annotation(const json::object& input, const json::object& expect) {
    if (input.contains("drains")) {
        return drains_of_homes(input, expect);
    }
    const auto admitted = admitted_with(annotation_of(input.at("parse")));
    json::object result{{"mapFrozen", admitted.has_error()}};
    if (admitted) {
        result.emplace("overrides", overrides_of(admitted.value().value().drains));
        return result;
    }
    const std::string error = admitted.error().message;
    emplace_error(result, error, expect);
    if (const json::value* prefix = expect.if_contains("controllerLogPrefix")) {
        result.emplace("controllerLogPrefix",
                       error.starts_with(text(*prefix)) ? text(*prefix) : error);
    }
    return result;
}

routing::TrafficMapSpec spec_of_reasons(const json::value& reasons) {
    routing::TrafficMapSpec spec;
    for (const json::value& reason : reasons.as_array()) {
        spec.entries.emplace_back().capacity.fallback_reason = text(reason);
    }
    return spec;
}

enum class Which : std::size_t { Routable, CapacityFallback };

json::object condition(Which which,
                       const routing::TrafficMapSpec& spec,
                       std::int64_t generation,
                       const routing::RoutableVerdict& verdict,
                       bool polling,
                       const json::object& expect) {
    routing::RoutedService routed;
    if (polling) {
        routed.policies.capacity.emplace();
    }
    const auto conditions =
        routing::routing_conditions(spec, generation, verdict, routed, {}, core::WallTime{});
    return shown(conditions.at(static_cast<std::size_t>(which)), expect);
}

json::object routable_condition(const json::object& input, const json::object& expect) {
    routing::TrafficMapSpec spec;
    spec.entries.resize(static_cast<std::size_t>(integer(input.at("entries"))));
    return condition(Which::Routable,
                     spec,
                     integer(input.at("generation")),
                     {text(input.at("status")) == "True", text(input.at("reason"))},
                     false,
                     expect);
}

json::object routable_from_entries(const json::object& input, const json::object& expect) {
    routing::TrafficMapSpec spec;
    bool any = false;
    for (const json::value& weight : input.at("weights").as_array()) {
        spec.entries.emplace_back().weight = weight.to_number<std::int32_t>();
        any = any || spec.entries.back().weight > 0;
    }
    return condition(Which::Routable, spec, 1, {any, text(input.at("reason"))}, false, expect);
}

json::object fallback(const json::object& expect,
                      const json::value& reasons,
                      bool polling,
                      std::int64_t generation,
                      std::string_view gauge) {
    const routing::TrafficMapSpec spec = spec_of_reasons(reasons);
    json::object result = condition(Which::CapacityFallback, spec, generation, {}, polling, expect);
    result.emplace(gauge, polling ? json::value(routing::fallback_homes(spec)) : json::value());
    return result;
}

json::object capacity_fallback_condition(const json::object& input, const json::object& expect) {
    return fallback(expect,
                    input.at("fallbackReasons"),
                    input.at("enabled").as_bool(),
                    integer(input.at("generation")),
                    "metric");
}

json::object window_condition(const json::object& input, const json::object& expect) {
    return fallback(expect,
                    input.at("entry_fallback_reasons"),
                    input.at("polling_enabled").as_bool(),
                    1,
                    "gauge");
}

routing::Condition condition_of(const json::object& object) {
    require_only(
        object,
        {"type", "status", "reason", "message", "observedGeneration", "lastTransitionTime"});
    routing::Condition condition;
    condition.type = object.contains("type") ? text(object.at("type")) : "Routable";
    condition.status = text(object.at("status"));
    condition.reason = text(object.at("reason"));
    condition.message = text(object.at("message"));
    condition.observed_generation = integer(object.at("observedGeneration"));
    if (const json::value* at = present(object, "lastTransitionTime")) {
        condition.last_transition_time = stamp_of(*at);
    }
    return condition;
}

json::object set_condition(const json::object& input, const json::object& expect) {
    std::vector<routing::Condition> before;
    if (const json::value* existing = present(input, "existing")) {
        before.push_back(condition_of(existing->as_object()));
    }
    const auto after = routing::merged_conditions(
        before,
        {routing::with_transition(
            condition_of(input.at("desired").as_object()), before, stamp_of(input.at("now")))});
    return shown(after.at(0), expect);
}

json::object code_of(const json::object& input, const json::object&) {
    const json::value* reason = present(input, "fallbackReason");
    const std::string code(routing::fallback_code(reason ? text(*reason) : ""));
    return {{"code", code}, {"routeEvidenceSuffix", "fallback=" + code}};
}

json::object reason_codes(const json::object& input, const json::object&) {
    json::array codes;
    for (const json::value& reason : input.at("reasons").as_array()) {
        codes.emplace_back(routing::fallback_code(text(reason)));
    }
    return {{"codes", std::move(codes)}};
}

void add_conditions(std::vector<Operation>& all) {
    const std::vector<std::string> condition_keys = {
        "message", "observedGeneration", "reason", "status", "type"};
    std::vector<std::string> with_metric = condition_keys;
    with_metric.emplace_back("metric");
    all.push_back({"conditions",
                   "routable_condition",
                   {"entries", "generation", "reason", "status"},
                   condition_keys,
                   routable_condition});
    all.push_back({"conditions",
                   "routable_from_entries",
                   {"reason", "weights"},
                   {"message"},
                   routable_from_entries});
    all.push_back({"conditions",
                   "capacity_fallback_condition",
                   {"enabled", "fallbackReasons", "generation"},
                   with_metric,
                   capacity_fallback_condition});
    all.push_back({"conditions",
                   "set_condition",
                   {"desired", "existing", "now"},
                   {"lastTransitionTime", "message", "observedGeneration", "reason"},
                   set_condition});
    all.push_back({"capacity_window",
                   "condition",
                   {"entry_fallback_reasons", "polling_enabled"},
                   {"gauge", "message", "reason", "status"},
                   window_condition});
}

}  // namespace

void add_map_operations(std::vector<Operation>& all) {
    all.push_back({"entries",
                   "build_spec",
                   {"capacityPolicyEnabled", "capacityState", "isvc", "probePolicy", "probeState"},
                   {"routable", "spec"},
                   build_spec});
    all.push_back({"entries", "serving_homes", {"isvc"}, {"clusters"}, serving_homes});
    all.push_back({"drain_apply",
                   "",
                   {"isvc", "overrides", "probePolicy", "probeState"},
                   {"entries", "overrideActive", "routable"},
                   drain_apply});
    all.push_back(
        {"drain_parse", "", {"annotation"}, {"error", "errorPrefix", "overrides"}, drain_parse});
    all.push_back({"drain_parse",
                   "reconcile_error",
                   {"annotation"},
                   {"error", "mapUnchanged", "statusUnchanged"},
                   reconcile_error});
    all.push_back({"drain_annotation",
                   "",
                   {"baseWeights", "drains", "parse"},
                   {"afterUndrain *",
                    "controllerLogPrefix",
                    "drainRefs",
                    "errorContains",
                    "mapFrozen",
                    "overrides",
                    "weights"},
                   drain_annotation});
    all.push_back({"fallback_code",
                   "",
                   {"capacity", "fallbackReason"},
                   {"code", "routeEvidenceSuffix"},
                   code_of});
    all.push_back({"capacity_window", "reason_codes", {"reasons"}, {"codes"}, reason_codes});
    add_conditions(all);
}

}  // namespace ome::conformance
