// contract/observer.md 10 and 13, and contract/trafficmap.md 10.
#include "registry.hpp"
#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_admission.hpp>
#include <ome/core/policy_resolution.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/wire/config_document.hpp>
#include <ome/wire/service_routing_document.hpp>

#include <fmt/format.h>

#include <stdexcept>

namespace ome::conformance {
namespace {

// Settings reach the code as they do in life: as text through wire/.
core::RoutingSettings operator_settings(const json::value& routing) {
    const json::object config{{"routing", routing}};
    const auto read = wire::read_config_value(json::serialize(config));
    if (!read) {
        throw std::runtime_error(read.error().message);
    }
    return read->routing;
}

std::optional<core::ServiceRoutingSettings> service_settings(const json::value& routing) {
    if (routing.is_null()) {
        return std::nullopt;
    }
    const auto read = wire::read_service_routing(json::serialize(routing));
    if (!read) {
        throw std::runtime_error(read.error().message);
    }
    return read->routing;
}

core::ProbeSettings probe_settings(const json::value& probe) {
    return operator_settings(json::object{{"probe", probe}}).probe;
}

core::CapacitySettings capacity_settings(const json::value& capacity) {
    return operator_settings(json::object{{"capacity", capacity}}).capacity;
}

json::object ok_or(const std::optional<core::Problem>& problem) {
    return problem ? json::object{{"error", problem->message}} : json::object{{"ok", true}};
}

json::object operator_level(const json::object& input, const json::object&) {
    const auto read = wire::read_config_value(json::serialize(input.at("multicluster")));
    if (!read) {
        throw std::runtime_error(read.error().message);
    }
    const auto problems = core::configuration_problems(read->routing, read->gateway);
    return problems.empty() ? json::object{{"ok", true}}
                            : json::object{{"error", core::join_messages(problems)}};
}

json::object spec_runtime(const json::object& input, const json::object&) {
    const auto settings = service_settings(input.at("routing"));
    return ok_or(settings ? core::shape_problem(*settings) : std::nullopt);
}

json::object crd_cel(const json::object& input, const json::object&) {
    const core::Admission admission = core::admission(*service_settings(input.at("routing")));
    if (admission.admitted()) {
        return {{"ok", true}};
    }
    json::array messages;
    for (const core::Problem& rule : admission.rules) {
        messages.emplace_back(rule.message);
    }
    return {{"rejected_with", std::move(messages)}};
}

template <typename Policy>
json::object resolved(const core::Result<std::optional<Policy>>& policy) {
    if (!policy) {
        return {{"error", policy.error().message}};
    }
    return {{"enabled", policy->has_value()},
            {"digest", policy->has_value() ? (*policy)->digest : std::string()}};
}

struct Sources {
    core::RoutingSettings installation;
    std::optional<core::ServiceRoutingSettings> service;

    explicit Sources(const json::object& input)
        : installation(operator_settings(input.at("operator_routing"))),
          service(service_settings(input.contains("spec_routing") ? input.at("spec_routing")
                                                                  : json::value())) {}

    [[nodiscard]] const core::ServiceRoutingSettings* own() const {
        return service ? &*service : nullptr;
    }
};

json::object probe_resolution(const json::object& input, const json::object&) {
    const Sources sources(input);
    return resolved(core::resolve_probe(sources.installation, sources.own()));
}

json::object capacity_resolution(const json::object& input, const json::object&) {
    const Sources sources(input);
    return resolved(core::resolve_capacity(sources.installation, sources.own()));
}

json::object controller_error(const json::object& input, const json::object&) {
    const Sources sources(input);
    const auto policies = core::resolve_policies(sources.installation, sources.own());
    return policies ? json::object{} : json::object{{"error", policies.error().message}};
}

std::string digest_of(std::string_view kind, const json::value& settings) {
    return kind.starts_with("probe") ? core::unchecked_policy(probe_settings(settings)).digest
                                     : core::unchecked_policy(capacity_settings(settings)).digest;
}

json::object digest(const json::object& input, const json::object&) {
    const char* const kind = input.contains("probe") ? "probe" : "capacity";
    return {{"digest", digest_of(kind, input.at(kind))}};
}

json::object digest_equal(const json::object& input, const json::object&) {
    const std::string kind = input.contains("probe_a") ? "probe" : "capacity";
    return {{"equal",
             digest_of(kind, input.at(kind + "_a")) == digest_of(kind, input.at(kind + "_b"))}};
}

// `options_value` is a second way to change `options`.
json::object digest_sensitivity(const json::object& input, const json::object&) {
    const char* const kind = input.contains("probe") ? "probe" : "capacity";
    const std::string before = digest_of(kind, input.at(kind));
    bool all_differ = true;
    for (const auto& mutation : input.at("mutations").as_object()) {
        json::object changed = input.at(kind).as_object();
        const std::string_view key = mutation.key();
        changed[key == "options_value" ? "options" : key] = mutation.value();
        all_differ = all_differ && digest_of(kind, changed) != before;
    }
    return {{"every_mutation_changes_digest", all_differ}};
}

json::object ok_or_error(const core::Result<wire::ConfigDocument>& read) {
    if (!read) {
        return {{"ok", false}, {"error", read.error().message}};
    }
    if (const auto problem = core::configuration_error(read->routing, read->gateway)) {
        return {{"ok", false}, {"error", problem->message}};
    }
    return {{"ok", true}, {"routingEnabled", read->routing.enabled.value_or(false)}};
}

json::object operator_config(const json::object& input, const json::object&) {
    return ok_or_error(wire::read_config_value(json::serialize(input.at("multicluster"))));
}

json::object operator_config_raw(const json::object& input, const json::object& expect) {
    const json::object& data = input.at("configMapData").as_object();
    const json::value* value = data.if_contains("multicluster");
    json::object computed = ok_or_error(wire::read_config_value(value ? text(*value) : "{}"));
    if (computed.contains("error") && expect.contains("errorPrefix")) {
        const std::string prefix = text(expect.at("errorPrefix"));
        const std::string error = text(computed.at("error"));
        computed["errorPrefix"] = error.starts_with(prefix) ? prefix : error;
    }
    return computed;
}

json::object inline_policy(const json::object& input, const json::object&) {
    const auto installation = operator_settings(input.at("installation"));
    const auto service = service_settings(input.at("specRouting"));
    const auto policies = core::resolve_policies(installation, service ? &*service : nullptr);
    return policies ? json::object{{"ok", true}}
                    : json::object{{"ok", false}, {"reconcileError", policies.error().message}};
}

json::object probe_policy_digest(const json::object& input, const json::object&) {
    const core::ProbePolicy policy = core::unchecked_policy(probe_settings(input.at("probe")));
    return {{"digest", policy.digest}, {"canonicalPayload", core::canonical_payload(policy)}};
}

json::object probe_policy_digest_equal(const json::object& input, const json::object&) {
    return {{"equal", digest_of("probe", input.at("a")) == digest_of("probe", input.at("b"))}};
}

}  // namespace

void add_policy_operations(std::vector<Operation>& all) {
    const std::vector<std::string> sources = {"operator_routing", "spec_routing"};
    const std::vector<std::string> resolution = {"enabled", "digest", "error"};
    const Operation mine[] = {
        {"config_validation", "operator", {"multicluster"}, {"ok", "error"}, operator_level},
        {"config_validation", "spec-runtime", {"routing"}, {"ok", "error"}, spec_runtime},
        {"config_validation", "crd-cel", {"routing"}, {"ok", "rejected_with"}, crd_cel},
        {"policy_resolution", "probe", sources, resolution, probe_resolution},
        {"policy_resolution", "capacity", sources, resolution, capacity_resolution},
        {"policy_resolution", "controller_error", sources, {"error"}, controller_error},
        {"policy_resolution", "digest", {"probe", "capacity"}, {"digest"}, digest},
        {"policy_resolution",
         "digest_equal",
         {"probe_a", "probe_b", "capacity_a", "capacity_b"},
         {"equal"},
         digest_equal},
        {"policy_resolution",
         "digest_sensitivity",
         {"probe", "capacity", "mutations"},
         {"every_mutation_changes_digest"},
         digest_sensitivity},
        {"config", "operator_config", {"multicluster"}, {"ok", "error"}, operator_config},
        {"config",
         "operator_config_raw",
         {"configMapData"},
         {"ok", "errorPrefix", "routingEnabled"},
         operator_config_raw},
        {"config",
         "inline_policy",
         {"installation", "specRouting"},
         {"ok", "reconcileError"},
         inline_policy},
        {"config",
         "probe_policy_digest",
         {"probe"},
         {"canonicalPayload", "digest"},
         probe_policy_digest},
        {"config", "probe_policy_digest_equal", {"a", "b"}, {"equal"}, probe_policy_digest_equal},
    };
    all.insert(all.end(), std::begin(mine), std::end(mine));
}

}  // namespace ome::conformance
