// The map that follows from a service and its readings (contract/trafficmap.md 2 to 8.1).
#include "table.hpp"

#include <algorithm>

namespace ome::routing {
namespace {

EntryCapacity capacity_of(const Row& row, const WeightInput& input) {
    EntryCapacity capacity;
    capacity.allocated = effective(input);
    capacity.ready = input.ready;
    if (input.factor) {
        capacity.factor = input.factor->canonical();
    }
    if (input.reported && capacity.allocated != input.allocated) {
        capacity.source = CapacitySource::Endpoint;
    }
    capacity.reported = input.reported;
    if (row.capacity && !input.reported) {
        capacity.fallback_reason = row.capacity->fallback_reason;
    }
    return capacity;
}

EntryProbe probe_of(const ProbeObservation& observation) {
    EntryProbe probe = observation.state;
    if (probe.last_probe_time) {
        probe.last_probe_time->nanoseconds = 0;
    }
    return probe;
}

Entry entry_of(const Table& table, std::size_t index) {
    const Row& row = table.rows[index];
    const WeightInput& input = table.inputs[index];
    Entry entry;
    entry.cluster = row.home.cluster;
    entry.endpoint = row.home.endpoint;
    entry.weight = final_weight(table, index);
    entry.healthy = input.ready > 0 && input.reachable.value_or(true);
    entry.capacity = capacity_of(row, input);
    if (row.probe) {
        entry.probe = probe_of(*row.probe);
    }
    for (const Drain* drain : row.drains) {
        entry.drain_refs.push_back(drain->id);
    }
    return entry;
}

}  // namespace

Plan build_plan(const InferenceService& service,
                const RoutedService& routed,
                const Observations& observations) {
    return build_plan(service, serving_homes(service), routed, observations);
}

Plan build_plan(const InferenceService& service,
                std::vector<Home> homes,
                const RoutedService& routed,
                const Observations& observations) {
    const Table table = make_table(service, std::move(homes), routed, observations);
    Plan plan;
    plan.spec.service = service.key.name;
    plan.spec.mode = service.placement ? service.placement->mode : std::string();
    plan.spec.observed_isvc_generation = service.generation;
    if (service.status && service.status->plan) {
        plan.spec.placement_plan_id = service.status->plan->id;
    }
    plan.spec.entries.reserve(table.rows.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        plan.spec.entries.push_back(entry_of(table, i));
    }
    plan.verdict = verdict_of(service, table);
    return plan;
}

}  // namespace ome::routing
