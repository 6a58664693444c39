#include "map_state.hpp"

#include "freshness.hpp"
#include "map_lag.hpp"
#include "members.hpp"
#include "why_problems.hpp"
#include "why_publication.hpp"
#include <ome/core/text.hpp>
#include <ome/routing/shadow.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

namespace ome::kubectl {
namespace {

const routing::Condition* condition_of(const routing::TrafficMap& map, std::string_view type) {
    for (const routing::Condition& condition : map.status.conditions) {
        if (condition.type == type) {
            return &condition;
        }
    }
    return nullptr;
}

void count_homes(const routing::TrafficMap& map, MapState& state) {
    for (const routing::Entry& entry : map.spec.entries) {
        ++state.homes;
        state.serving += entry.weight > 0 ? 1U : 0U;
        const bool gated = entry.probe && entry.probe->gated;
        state.gated += gated ? 1U : 0U;
        state.gates_ignored += gated && entry.weight > 0 ? 1U : 0U;
        state.fallback += entry.capacity.fallback_reason.empty() ? 0U : 1U;
        state.drained += entry.drain_refs.empty() ? 0U : 1U;
    }
}

void judge(MapState& state, Health health, std::string why) {
    if (health < state.health) {
        state.health = health;
        state.why = std::move(why);
    }
}

std::string names_of(const routing::TrafficMap& map,
                     const std::function<bool(const routing::Entry&)>& wanted) {
    std::vector<std::string> names;
    for (const routing::Entry& entry : map.spec.entries) {
        if (wanted(entry)) {
            names.push_back(entry.cluster);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

constexpr std::string_view gates_ignored =
    "gates are ignored: all homes are gated, and PreserveTraffic keeps their weights";

void judge_homes(const routing::TrafficMap& map, MapState& state) {
    if (state.gated > 0) {
        std::string names =
            names_of(map, [](const auto& entry) { return entry.probe && entry.probe->gated; });
        judge(state,
              Health::Gated,
              state.gates_ignored > 0 ? fmt::format("{}; {}", names, gates_ignored) : names);
    }
    if (state.fallback > 0) {
        judge(state, Health::Fallback, names_of(map, [](const auto& entry) {
                  return !entry.capacity.fallback_reason.empty();
              }));
    }
    if (state.drained > 0) {
        judge(state, Health::Drained, names_of(map, [](const auto& entry) {
                  return !entry.drain_refs.empty();
              }));
    }
}

std::string in_short(const routing::Condition* published) {
    if (published == nullptr) {
        return "-";
    }
    return published->status == "True" ? published->status
                                       : fmt::format("{} {}", published->status, published->reason);
}

void judge_publication(const routing::TrafficMap& map, MapState& state) {
    const routing::Condition* published = condition_of(map, "Published");
    state.published = in_short(published);
    if (published == nullptr) {
        return;
    }
    // Without a gateway nothing is to follow the map.
    if (nothing_to_publish(map)) {
        return;
    }
    const bool withdrawn =
        published->reason == "Withdrawn" && published->observed_generation == map.meta.generation;
    if (published->status != "True" && published->reason != "Transitioning" && !withdrawn) {
        judge(state,
              Health::Unpublished,
              core::sanitize_detail(fmt::format("{}: {}", published->reason, published->message)));
    }
    const std::int64_t route = map.status.observed_traffic_map_generation;
    if (route > 0 && route < map.meta.generation) {
        judge(state,
              Health::Behind,
              fmt::format(
                  "the route is of generation {}, the map of {}", route, map.meta.generation));
    }
}

void judge_unusable(const std::string& why, MapState& state) {
    judge(state,
          Health::Frozen,
          "the last good state is in force, because " + core::sanitize_detail(why));
}

void judge_service(const routing::TrafficMap& map,
                   const json::value* object,
                   const core::RoutingSettings& installation,
                   core::WallTime now,
                   MapState& state) {
    if (object == nullptr) {
        return;
    }
    const auto service = wire::read_inference_service(*object);
    if (!service) {
        judge_unusable("the InferenceService cannot be understood: " + service.error().message,
                       state);
        return;
    }
    state.shadow = routing::is_shadowed(*service);
    if (const auto frozen = frozen_reason(*service, &map, installation)) {
        judge(state, Health::Frozen, core::sanitize_detail(*frozen));
    }
    if (freshness_of(map.spec.observed_isvc_generation, service->generation) == Freshness::Stale) {
        judge(state,
              Health::Behind,
              fmt::format("the map is of generation {} of the service, which is at {}",
                          map.spec.observed_isvc_generation,
                          service->generation));
    }
    WhyFacts facts = facts_of(*service, now);
    facts.map = map;
    for (std::string& lag : drain_lags(facts, state.health == Health::Frozen)) {
        judge(state, Health::Behind, std::move(lag));
    }
}

std::string why_cell(const MapState& state) {
    if (!state.shadow) {
        return state.why;
    }
    return state.why.empty() ? std::string(in_shadow) : fmt::format("{}; {}", state.why, in_shadow);
}

}  // namespace

std::string_view to_string(Health health) {
    constexpr std::array<std::string_view, 10> words{"NotRoutable",
                                                     "NoMap",
                                                     "Frozen",
                                                     "Unreadable",
                                                     "Unpublished",
                                                     "Behind",
                                                     "Gated",
                                                     "Fallback",
                                                     "Drained",
                                                     "Fine"};
    return words.at(static_cast<std::size_t>(health));
}

MapState map_state(const json::value& object,
                   const ServiceView& service,
                   const core::RoutingSettings& installation,
                   core::WallTime now) {
    MapState state{
        .key = {text_at(object, {"metadata", "namespace"}), text_at(object, {"metadata", "name"})}};
    const auto map = wire::read_traffic_map(object);
    if (!map) {
        judge(state, Health::Unreadable, core::sanitize_detail(map.error().message));
        return state;
    }
    count_homes(*map, state);
    if (const routing::Condition* routable = condition_of(*map, "Routable");
        routable != nullptr && routable->status == "False") {
        judge(state,
              Health::NotRoutable,
              core::sanitize_detail(fmt::format("{}: {}", routable->reason, routable->message)));
    }
    if (!service.unusable.empty()) {
        judge_unusable(service.unusable, state);
    } else {
        judge_service(*map, service.object, installation, now, state);
    }
    judge_publication(*map, state);
    judge_homes(*map, state);
    return state;
}

std::optional<MapState> missing_map_state(const json::value& object,
                                          const core::RoutingSettings& installation) {
    MapState state{
        .key = {text_at(object, {"metadata", "namespace"}), text_at(object, {"metadata", "name"})},
        .health = Health::NoMap};
    const auto service = wire::read_inference_service(object);
    if (!service) {
        state.why = core::sanitize_detail("the InferenceService cannot be understood: " +
                                          service.error().message);
        return state;
    }
    const auto admitted = routing::admit(*service, installation);
    if (service->deleting || (admitted && !*admitted)) {
        return std::nullopt;
    }
    const auto frozen = frozen_reason(*service, nullptr, installation);
    state.why = frozen ? core::sanitize_detail("none can be made: " + *frozen)
                       : "none has been made: is routing on, and does a controller lead?";
    return state;
}

void sort_worst_first(std::vector<MapState>& states) {
    std::sort(states.begin(), states.end(), [](const MapState& a, const MapState& b) {
        return std::tie(a.health, a.key) < std::tie(b.health, b.key);
    });
}

std::string state_table(const std::vector<MapState>& states, bool with_namespace) {
    std::vector<TextRow> rows{
        {"NAME", "STATE", "SERVING", "GATED", "FALLBACK", "DRAINED", "PUBLISHED", "WHY"}};
    for (const MapState& state : states) {
        rows.push_back({state.key.name,
                        std::string(to_string(state.health)),
                        fmt::format("{}/{}", state.serving, state.homes),
                        std::to_string(state.gated),
                        std::to_string(state.fallback),
                        std::to_string(state.drained),
                        state.published.empty() ? "-" : state.published,
                        why_cell(state)});
    }
    if (with_namespace) {
        rows[0].insert(rows[0].begin(), "NAMESPACE");
        for (std::size_t i = 0; i < states.size(); ++i) {
            rows[i + 1].insert(rows[i + 1].begin(), states[i].key.ns);
        }
    }
    return table(rows);
}

json::value state_document(const std::vector<MapState>& states, core::WallTime now) {
    json::array items;
    for (const MapState& state : states) {
        items.push_back(json::object{{"namespace", state.key.ns},
                                     {"name", state.key.name},
                                     {"state", to_string(state.health)},
                                     {"homes", state.homes},
                                     {"serving", state.serving},
                                     {"gated", state.gated},
                                     {"gatesIgnored", state.gates_ignored},
                                     {"fallback", state.fallback},
                                     {"drained", state.drained},
                                     {"shadow", state.shadow},
                                     {"published", state.published},
                                     {"why", state.why}});
    }
    return json::object{{"apiVersion", output_api},
                        {"kind", "TrafficTop"},
                        {"collectedAt", stamp_text(now)},
                        {"items", std::move(items)}};
}

}  // namespace ome::kubectl
