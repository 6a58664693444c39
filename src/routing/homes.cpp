// Which candidates are homes, and in which order (contract/trafficmap.md 2).
#include "homes.hpp"

#include <ome/core/endpoint.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <algorithm>

namespace ome::routing {
namespace {

// Observation lags behind the plan: it still sees what the plan has given up.
bool retired(const Allocation& allocation) {
    return allocation.current_replicas == 0 && allocation.desired_replicas == 0 &&
           !allocation.current_home && !allocation.desired_home;
}

// The selection came back to the winner; the replacement serves until it may drain.
bool backs_a_cancelled_move(const Candidate& candidate) {
    const std::optional<Allocation>& allocation = candidate.allocation;
    return allocation && !allocation->race_candidate && allocation->current_replicas > 0 &&
           !allocation->drain_requested;
}

bool kept_by_single_plan(const PlacementPlan& plan, const Candidate& candidate) {
    if (plan.winner.empty()) {
        return false;
    }
    if (candidate.cluster == plan.winner || plan.move_selected == candidate.cluster) {
        return true;
    }
    return plan.move_selected == plan.winner && backs_a_cancelled_move(candidate);
}

bool kept_by_plan(const std::optional<PlacementPlan>& plan, const Candidate& candidate) {
    if (!plan) {
        return true;
    }
    if (candidate.allocation && retired(*candidate.allocation)) {
        return false;
    }
    return plan->mode != "Single" || kept_by_single_plan(*plan, candidate);
}

// What keeps the home from being observed; empty: nothing. Absent: it is no home.
std::optional<std::string> target_problem(const std::string& endpoint) {
    const core::Result<core::Endpoint> canonical = core::canonicalize(endpoint);
    if (canonical) {
        return std::string();
    }
    return core::has_host(endpoint) ? std::optional(canonical.error().message) : std::nullopt;
}

std::optional<Home> home_of(const std::optional<PlacementPlan>& plan, const Candidate& candidate) {
    if (!may_serve(plan, candidate)) {
        return std::nullopt;
    }
    std::optional<std::string> problem = target_problem(candidate.endpoint);
    if (!problem) {
        return std::nullopt;
    }
    const bool withdrawn = plan && candidate.allocation && candidate.allocation->drain_requested;
    return Home{candidate.cluster,
                candidate.endpoint,
                candidate.admitted_replicas,
                candidate.ready_replicas,
                withdrawn,
                std::move(*problem)};
}

}  // namespace

bool may_serve(const std::optional<PlacementPlan>& plan, const Candidate& candidate) {
    return candidate.phase == "Admitted" && kept_by_plan(plan, candidate);
}

bool placed(const InferenceService& service) {
    return service.status && service.status->phase == "Placed";
}

std::vector<Home> serving_homes(const InferenceService& service) {
    std::vector<Home> homes;
    if (!placed(service)) {
        return homes;
    }
    homes.reserve(service.status->candidates.size());
    for (const Candidate& candidate : service.status->candidates) {
        if (std::optional<Home> home = home_of(service.status->plan, candidate)) {
            homes.push_back(std::move(*home));
        }
    }
    std::stable_sort(homes.begin(), homes.end(), [](const Home& a, const Home& b) {
        return a.cluster < b.cluster;
    });
    return homes;
}

}  // namespace ome::routing
