#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ome::routing {
namespace {

// An endpoint that cannot be observed says so itself; the observer may not have been asked.
CapacityObservation capacity_of(const Home& home, const HomeObservation* observed) {
    if (!home.target_problem.empty()) {
        return {std::nullopt, fmt::format("capacity target is invalid: {}", home.target_problem)};
    }
    if (observed != nullptr && observed->capacity) {
        return *observed->capacity;
    }
    return {std::nullopt, "no capacity report yet"};
}

std::vector<const Drain*> drains_of(const std::string& cluster, const std::vector<Drain>& drains) {
    std::vector<const Drain*> found;
    for (const Drain& drain : drains) {
        if (drain.cluster == cluster) {
            found.push_back(&drain);
        }
    }
    std::sort(
        found.begin(), found.end(), [](const Drain* a, const Drain* b) { return a->id < b->id; });
    return found;
}

Row row_of(Home home, const RoutedService& routed, const Observations& observations) {
    const auto found = observations.find(home.cluster);
    const HomeObservation* observed = found == observations.end() ? nullptr : &found->second;
    Row row;
    if (routed.policies.capacity) {
        row.capacity = capacity_of(home, observed);
    }
    if (routed.policies.probe && observed != nullptr && home.target_problem.empty()) {
        row.probe = observed->probe;
    }
    row.drains = drains_of(home.cluster, routed.drains);
    row.home = std::move(home);
    return row;
}

std::optional<core::Quantity> factor_of(const InferenceService& service,
                                        const std::string& cluster) {
    if (!service.routing) {
        return std::nullopt;
    }
    const auto found = service.routing->capacity_factors.find(cluster);
    return found == service.routing->capacity_factors.end() ? std::nullopt
                                                            : core::parse_quantity(found->second);
}

WeightInput input_of(const Row& row, std::optional<core::Quantity> factor) {
    return {.allocated = row.home.admitted,
            .ready = row.home.ready,
            .factor = std::move(factor),
            .reported = row.capacity ? row.capacity->ceiling : std::nullopt,
            .reachable = row.probe ? row.probe->reachable() : std::nullopt};
}

template <typename Predicate>
bool any_row(const Table& table, Predicate holds) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        if (holds(i)) {
            return true;
        }
    }
    return false;
}

}  // namespace

core::AllFailedPolicy all_failed_policy(const core::Policies& policies) {
    return policies.probe ? policies.probe->all_failed_policy
                          : core::AllFailedPolicy::PreserveTraffic;
}

Table make_table(const InferenceService& service,
                 std::vector<Home> homes,
                 const RoutedService& routed,
                 const Observations& observations) {
    Table table;
    table.rows.reserve(homes.size());
    table.inputs.reserve(homes.size());
    for (Home& home : homes) {
        const Row& row = table.rows.emplace_back(row_of(std::move(home), routed, observations));
        table.inputs.push_back(input_of(row, factor_of(service, row.home.cluster)));
    }
    table.weights = weigh(table.inputs, all_failed_policy(routed.policies));
    table.all_failed = all_failed(table.inputs);
    return table;
}

std::int32_t weight_before_drains(const Table& table, std::size_t row) {
    return table.rows[row].home.withdrawn ? 0 : table.weights.values[row];
}

std::int32_t final_weight(const Table& table, std::size_t row) {
    return table.rows[row].drains.empty() ? weight_before_drains(table, row) : 0;
}

RoutableVerdict verdict_of(const InferenceService& service, const Table& table) {
    if (!placed(service)) {
        return {false, "NotPlaced"};
    }
    if (table.rows.empty()) {
        return {false, "NoAddressableHome"};
    }
    if (any_row(table, [&](std::size_t i) { return final_weight(table, i) > 0; })) {
        return {true, table.all_failed ? "AllHomesProbeFailed" : "Routable"};
    }
    if (any_row(table, [&](std::size_t i) { return weight_before_drains(table, i) > 0; })) {
        return {false, "TrafficDrain"};
    }
    if (!any_row(table, [&](std::size_t i) { return table.inputs[i].ready > 0; })) {
        return {false, "AllHomesUnready"};
    }
    if (!any_row(table, [&](std::size_t i) { return routable(table.inputs[i]) > 0; })) {
        return {false, "NoRoutableCapacity"};
    }
    return {false, table.all_failed ? "AllHomesProbeFailed" : "NoRoutableCapacity"};
}

}  // namespace ome::routing
