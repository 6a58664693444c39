// Weights, ceilings and gates: contract/trafficmap.md 3, 5 and 6.
#include "routing_input.hpp"
#include "table.hpp"
#include <ome/core/policy_rules.hpp>
#include <ome/core/probe_gate.hpp>

#include <stdexcept>

namespace ome::conformance {
namespace {

// By cluster in the order of the input: the plan sorts them.
json::array weights_of(const json::object& input, const routing::Plan& plan) {
    json::array weights;
    for (const json::value& home : input.at("homes").as_array()) {
        const std::string cluster = text(home.as_object().at("cluster"));
        for (const routing::Entry& entry : plan.spec.entries) {
            if (entry.cluster == cluster) {
                weights.push_back(entry.weight);
            }
        }
    }
    return weights;
}

json::object weights(const json::object& input, const json::object&) {
    const Situation situation = situation_of_homes(input);
    return {
        {"weights",
         weights_of(input,
                    routing::build_plan(situation.service, situation.routed, situation.observed))}};
}

std::string_view source_name(routing::CapacitySource source) {
    return source == routing::CapacitySource::Endpoint ? "Endpoint" : "ControlPlane";
}

// One home with these counts, through the whole plan.
json::object applied(const json::value& admitted,
                     const json::value& ready,
                     const json::value* ceiling) {
    json::object home{{"cluster", "a"}, {"allocated", admitted}, {"ready", ready}};
    if (ceiling != nullptr) {
        home.emplace("reported", *ceiling);
    }
    const Situation situation = situation_of_homes({{"homes", json::array{home}}});
    const routing::Table table =
        routing::make_table(situation.service, situation.routed, situation.observed);
    const routing::Plan plan =
        routing::build_plan(situation.service, situation.routed, situation.observed);
    const routing::EntryCapacity& capacity = plan.spec.entries.at(0).capacity;
    return {{"allocated", capacity.allocated},
            {"routableReplicas", routing::routable(table.inputs.at(0))},
            {"source", source_name(capacity.source)}};
}

json::object capacity_apply(const json::object& input, const json::object& expect) {
    json::object result;
    if (input.contains("homes")) {
        result = weights(input, expect);
    }
    if (input.contains("admittedReplicas")) {
        const json::value* ready = input.if_contains("readyReplicas");
        result = applied(input.at("admittedReplicas"),
                         ready ? *ready : input.at("admittedReplicas"),
                         present(input, "reported"));
    }
    return result;
}

json::object allocate(const json::object& input, const json::object&) {
    json::array rows;
    for (const json::value& value : input.at("rows").as_array()) {
        const json::object& row = value.as_object();
        require_only(row, {"admitted", "ceiling"});
        json::object result =
            applied(row.at("admitted"), row.at("admitted"), present(row, "ceiling"));
        result.erase("routableReplicas");
        rows.push_back(std::move(result));
    }
    return {{"rows", std::move(rows)}};
}

json::object all_failed(const json::object& input, const json::object& expect) {
    const Situation situation = situation_of_homes(input);
    const routing::Plan plan =
        routing::build_plan(situation.service, situation.routed, situation.observed);
    const routing::Table table =
        routing::make_table(situation.service, situation.routed, situation.observed);
    json::object result{{"weights", weights_of(input, plan)}, {"allFailed", table.all_failed}};
    if (const json::value* routable = expect.if_contains("routable")) {
        result.emplace("routable",
                       shown(routing::routable_condition(plan.verdict, plan.spec.entries.size()),
                             routable->as_object()));
    }
    return result;
}

json::value optional_bool(const std::optional<bool>& value) {
    return value ? json::value(*value) : json::value();
}

// A gated home whose service does or does not probe.
json::object effective_policy(const json::object& input, const json::object&) {
    Situation situation = situation_of_homes(
        {{"allFailedPolicy", input.at("configured")},
         {"homes",
          json::array{json::object{
              {"cluster", "a"}, {"allocated", 1}, {"ready", 1}, {"reachable", false}}}}});
    if (!input.at("probePolicyEnabled").as_bool()) {
        situation.routed.policies.probe.reset();
    }
    const routing::Table table =
        routing::make_table(situation.service, situation.routed, situation.observed);
    return {{"effective", core::to_string(routing::all_failed_policy(situation.routed.policies))},
            {"reachable", optional_bool(table.inputs.at(0).reachable)}};
}

core::ProbeResult result_of(const json::value& name) {
    for (const auto result :
         {core::ProbeResult::Passing, core::ProbeResult::Failing, core::ProbeResult::Unknown}) {
        if (text(name) == core::to_string(result)) {
            return result;
        }
    }
    throw std::runtime_error("no result: " + text(name));
}

json::object gate_sequence(const json::object& input, const json::object&) {
    core::Policies policies;
    policies.probe.emplace();
    core::ProbeGate gate(
        {count_of(input, "failureThreshold"), count_of(input, "successThreshold")});
    for (const json::value& result : input.at("results").as_array()) {
        gate.apply({result_of(result), ""}, core::WallTime{});
    }
    core::HomeReading reading;
    reading.endpoint = "https://a.example";
    if (gate.known()) {
        core::show(gate, reading.probe.emplace());
    }
    const auto observed =
        routing::project(&reading, "https://a.example", policies, core::WallTime{});
    if (!observed.probe) {
        return {{"reachable", nullptr}, {"probeBlock", nullptr}};
    }
    json::object block{{"result", core::to_string(observed.probe->state.result)}};
    if (observed.probe->state.gated) {
        block.emplace("gated", true);
    }
    if (observed.probe->state.consecutive_failures > 0) {
        block.emplace("consecutiveFailures", observed.probe->state.consecutive_failures);
    }
    return {{"reachable", optional_bool(observed.probe->reachable())},
            {"probeBlock", std::move(block)}};
}

json::object quantity(const json::object& input, const json::object&) {
    const json::value* written = present(input, "factor");
    const std::string cluster = input.contains("cluster") ? text(input.at("cluster")) : "a";
    json::object home{{"cluster", cluster}, {"allocated", 1}, {"ready", 1}};
    if (written != nullptr) {
        home.emplace("factor", *written);
    }
    const Situation situation = situation_of_homes({{"homes", json::array{home}}});
    const routing::Plan plan =
        routing::build_plan(situation.service, situation.routed, situation.observed);
    const auto& factors = situation.service.routing->capacity_factors;
    const auto factor =
        factors.empty() ? std::nullopt : core::parse_quantity(factors.begin()->second);
    const routing::Whole milli = routing::milli_units(factor);
    json::object result{
        {"valid", written == nullptr || factor.has_value()},
        {"positive", factor && factor->positive()},
        {"canonical", factor ? json::value(factor->canonical()) : json::value()},
        {"milliUnits",
         milli.mantissa.str() + std::string(static_cast<std::size_t>(milli.zeros), '0')},
        {"entryHasFactor", plan.spec.entries.at(0).capacity.factor.has_value()}};
    const auto problem = core::shape_problem(*situation.service.routing);
    result.emplace("policyError", problem ? json::value(problem->message) : json::value());
    return result;
}

}  // namespace

void add_weight_operations(std::vector<Operation>& all) {
    const std::string policy = "all_failed_policy";
    all.push_back({"weights", "", {"allFailedPolicy", "homes"}, {"weights"}, weights});
    all.push_back({"capacity_apply",
                   "",
                   {"admittedReplicas", "allFailedPolicy", "homes", "readyReplicas", "reported"},
                   {"allocated", "routableReplicas", "source", "weights"},
                   capacity_apply});
    all.push_back({"capacity_window", "allocate", {"rows"}, {"rows"}, allocate});
    all.push_back({policy,
                   "",
                   {"allFailedPolicy", "homes"},
                   {"allFailed", "routable", "weights"},
                   all_failed});
    all.push_back({policy,
                   "effective_policy",
                   {"configured", "probePolicyEnabled"},
                   {"effective", "reachable"},
                   effective_policy});
    all.push_back({policy,
                   "gate_sequence",
                   {"failureThreshold", "results", "successThreshold"},
                   {"probeBlock", "reachable"},
                   gate_sequence});
    all.push_back(
        {"quantity",
         "",
         {"cluster", "factor"},
         {"canonical", "entryHasFactor", "milliUnits", "policyError", "positive", "valid"},
         quantity});
}

}  // namespace ome::conformance
