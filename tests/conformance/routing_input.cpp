#include "routing_input.hpp"

#include <ome/core/timestamp.hpp>
#include <ome/wire/inference_service_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ome::conformance {
namespace {

core::AllFailedPolicy policy_of(const json::value& name) {
    // Whatever is not PreserveTraffic keeps nothing, the empty text included.
    return text(name) == "PreserveTraffic" ? core::AllFailedPolicy::PreserveTraffic
                                           : core::AllFailedPolicy::Drain;
}

core::ProbePolicy probe_policy(core::AllFailedPolicy all_failed) {
    core::ProbePolicy policy;
    policy.all_failed_policy = all_failed;
    return policy;
}

routing::ProbeObservation probe_of(std::optional<bool> reachable) {
    routing::ProbeObservation probe;
    probe.conclusive = reachable.has_value();
    probe.state.gated = !reachable.value_or(true);
    return probe;
}

std::optional<bool> bool_of(const json::object& object, std::string_view name) {
    const json::value* value = present(object, name);
    return value ? std::optional(value->as_bool()) : std::nullopt;
}

core::ProbeResult result_of(const std::string& name) {
    for (const auto result : {core::ProbeResult::Passing, core::ProbeResult::Failing}) {
        if (name == core::to_string(result)) {
            return result;
        }
    }
    return core::ProbeResult::Unknown;
}

routing::EntryProbe block_of(const json::object& block) {
    require_only(
        block,
        {"policyDigest", "result", "gated", "lastProbeTime", "consecutiveFailures", "message"});
    routing::EntryProbe probe;
    probe.policy_digest = block.contains("policyDigest") ? text(block.at("policyDigest")) : "";
    probe.result = result_of(block.contains("result") ? text(block.at("result")) : "");
    probe.gated = bool_of(block, "gated").value_or(false);
    probe.consecutive_failures = count_of(block, "consecutiveFailures");
    probe.message = block.contains("message") ? text(block.at("message")) : "";
    if (const json::value* at = present(block, "lastProbeTime")) {
        probe.last_probe_time = stamp_of(*at);
    }
    return probe;
}

void observe_probes(const json::object& states, routing::Observations& observed) {
    for (const auto& [cluster, value] : states) {
        const json::object& state = value.as_object();
        require_only(state, {"reachable", "block"});
        routing::ProbeObservation probe = probe_of(bool_of(state, "reachable"));
        if (const json::value* block = present(state, "block")) {
            probe.state = block_of(block->as_object());
        }
        observed[std::string(std::string_view(cluster))].probe = probe;
    }
}

void observe_capacity(const json::object& states, routing::Observations& observed) {
    for (const auto& [cluster, value] : states) {
        const json::object& state = value.as_object();
        require_only(state, {"reported", "fallbackReason"});
        routing::CapacityObservation capacity;
        if (present(state, "reported")) {
            capacity.ceiling = count_of(state, "reported");
        }
        if (const json::value* reason = present(state, "fallbackReason")) {
            capacity.fallback_reason = text(*reason);
        }
        observed[std::string(std::string_view(cluster))].capacity = capacity;
    }
}

std::vector<routing::Drain> drains_of(const json::array& overrides) {
    std::vector<routing::Drain> drains;
    for (const json::value& value : overrides) {
        const json::object& one = value.as_object();
        require_only(one, {"id", "cluster", "reason"});
        drains.push_back({text(one.at("id")), text(one.at("cluster")), text(one.at("reason"))});
    }
    return drains;
}

void add_home(const json::object& home, Situation& situation) {
    require_only(home, {"cluster", "allocated", "ready", "factor", "reported", "reachable"});
    const std::string cluster = text(home.at("cluster"));
    situation.service.status->candidates.push_back(
        {.cluster = cluster,
         .phase = "Admitted",
         .endpoint = "https://" + cluster + ".example",
         .admitted_replicas = count_of(home, "allocated"),
         .ready_replicas = count_of(home, "ready")});
    if (const json::value* factor = present(home, "factor")) {
        situation.service.routing->capacity_factors[cluster] =
            factor->is_string() ? text(*factor) : json::serialize(*factor);
    }
    routing::HomeObservation& observed = situation.observed[cluster];
    if (present(home, "reported")) {
        observed.capacity = routing::CapacityObservation{count_of(home, "reported"), {}};
    }
    observed.probe = probe_of(bool_of(home, "reachable"));
}

}  // namespace

void require_only(const json::object& object, std::initializer_list<std::string_view> known) {
    for (const auto& member : object) {
        if (std::find(known.begin(), known.end(), member.key()) == known.end()) {
            throw std::runtime_error(
                fmt::format("unknown key \"{}\"", std::string_view(member.key())));
        }
    }
}

core::WallTime stamp_of(const json::value& value) {
    const auto parsed = core::parse_timestamp(text(value));
    return parsed ? *parsed : throw std::runtime_error("no time stamp: " + text(value));
}

const json::value* present(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && !value->is_null() ? value : nullptr;
}

std::int32_t count_of(const json::object& object, std::string_view name) {
    const json::value* value = present(object, name);
    return value ? value->to_number<std::int32_t>() : 0;
}

routing::InferenceService service_of(const json::value& isvc) {
    auto read = wire::read_inference_service(isvc);
    return read ? std::move(*read) : throw std::runtime_error(read.error().message);
}

Situation situation_of_homes(const json::object& input) {
    Situation situation;
    situation.service.key = {"prod", "svc"};
    situation.service.status.emplace().phase = "Placed";
    situation.service.routing.emplace();
    situation.routed.policies.capacity.emplace();
    const json::value* policy = input.if_contains("allFailedPolicy");
    situation.routed.policies.probe =
        probe_policy(policy ? policy_of(*policy) : core::AllFailedPolicy::PreserveTraffic);
    for (const json::value& home : input.at("homes").as_array()) {
        add_home(home.as_object(), situation);
    }
    return situation;
}

Situation situation_of_service(const json::object& input) {
    Situation situation;
    situation.service = service_of(input.at("isvc"));
    situation.routed.drains = routing::parse_drains(situation.service.drains).value();
    if (const json::value* overrides = present(input, "overrides")) {
        situation.routed.drains = drains_of(overrides->as_array());
    }
    if (const json::value* policy = present(input, "probePolicy")) {
        require_only(policy->as_object(), {"enabled", "allFailedPolicy"});
        const json::value* name = policy->as_object().if_contains("allFailedPolicy");
        if (bool_of(policy->as_object(), "enabled").value_or(true)) {
            situation.routed.policies.probe =
                probe_policy(name ? policy_of(*name) : core::AllFailedPolicy::PreserveTraffic);
        }
    }
    if (bool_of(input, "capacityPolicyEnabled").value_or(false)) {
        situation.routed.policies.capacity.emplace();
    }
    if (const json::value* states = present(input, "probeState")) {
        observe_probes(states->as_object(), situation.observed);
    }
    if (const json::value* states = present(input, "capacityState")) {
        observe_capacity(states->as_object(), situation.observed);
    }
    return situation;
}

json::object narrowed(json::object object, const json::value& expect) {
    json::object found;
    if (const json::object* wanted = expect.if_object()) {
        for (const auto& member : *wanted) {
            if (const json::value* value = object.if_contains(member.key())) {
                found.emplace(member.key(), *value);
            }
        }
    }
    return found;
}

json::object shown(const routing::Condition& condition, const json::object& expect) {
    const std::string at = core::format_timestamp(condition.last_transition_time);
    return narrowed({{"type", condition.type},
                     {"status", condition.status},
                     {"reason", condition.reason},
                     {"message", condition.message},
                     {"observedGeneration", condition.observed_generation},
                     {"lastTransitionTime", at.substr(0, 19) + "Z"}},
                    expect);
}

json::array overrides_of(const std::vector<routing::Drain>& drains) {
    json::array found;
    for (const routing::Drain& drain : drains) {
        found.push_back(
            json::object{{"id", drain.id}, {"cluster", drain.cluster}, {"reason", drain.reason}});
    }
    return found;
}

}  // namespace ome::conformance
