#include "routing_model.hpp"

#include <algorithm>

namespace ome::model {
namespace {

using boost::multiprecision::cpp_int;

cpp_int power(int base, int exponent) {
    return boost::multiprecision::pow(cpp_int(base), static_cast<unsigned>(exponent));
}

Fraction scale(int base, int exponent) {
    return exponent >= 0 ? Fraction(power(base, exponent)) : Fraction(1, power(base, -exponent));
}

cpp_int round_up(const Fraction& positive) {
    const cpp_int top = numerator(positive);
    const cpp_int bottom = denominator(positive);
    return (top + bottom - 1) / bottom;
}

Fraction suffix_value(const std::string& suffix) {
    const std::string decimal = "num kMGTPE";
    const std::string binary = "KMGTPE";
    if (suffix.empty()) {
        return 1;
    }
    if (suffix.size() == 2 && suffix[1] == 'i') {
        return scale(1024, static_cast<int>(binary.find(suffix[0])) + 1);
    }
    if (suffix.size() == 1) {
        return scale(10, static_cast<int>(decimal.find(suffix[0])) * 3 - 9);
    }
    return scale(10, std::stoi(suffix.substr(1)));
}

struct HomeState {
    routing::Candidate candidate;
    bool withdrawn = false;
    bool has_scheme = true;
    std::optional<std::int32_t> reported;
    std::string fallback;
    std::optional<routing::EntryProbe> block;
    std::optional<bool> reachable;
    std::optional<std::string> factor;
    cpp_int raw;
    std::int64_t weight = 0;
    std::int64_t undrained = 0;
    std::vector<std::string> drains;
};

// The endpoints of the generator: `https://host`, `//host`, and texts without a host.
bool is_address(const std::string& endpoint) {
    const std::size_t slashes = endpoint.find("//");
    return slashes != std::string::npos && slashes + 2 < endpoint.size();
}

bool in_single_plan(const routing::PlacementPlan& plan, const routing::Candidate& candidate) {
    if (plan.winner.empty()) {
        return false;
    }
    if (candidate.cluster == plan.winner) {
        return true;
    }
    if (!plan.move_selected) {
        return false;
    }
    if (*plan.move_selected == candidate.cluster) {
        return true;
    }
    if (*plan.move_selected != plan.winner || !candidate.allocation) {
        return false;
    }
    return !candidate.allocation->race_candidate && candidate.allocation->current_replicas > 0 &&
           !candidate.allocation->drain_requested;
}

bool is_home(const std::optional<routing::PlacementPlan>& plan,
             const routing::Candidate& candidate) {
    if (plan && candidate.allocation) {
        const routing::Allocation& a = *candidate.allocation;
        if (a.current_replicas == 0 && a.desired_replicas == 0 && !a.current_home &&
            !a.desired_home) {
            return false;
        }
    }
    if (plan && plan->mode == "Single" && !in_single_plan(*plan, candidate)) {
        return false;
    }
    return candidate.phase == "Admitted" && is_address(candidate.endpoint);
}

std::int32_t effective(const HomeState& home) {
    const std::int32_t allocated = home.candidate.admitted_replicas;
    if (!home.reported || *home.reported >= allocated || *home.reported < 0) {
        return allocated;
    }
    return *home.reported;
}

std::int32_t routable(const HomeState& home) {
    return home.candidate.ready_replicas < 0
               ? 0
               : std::min(home.candidate.ready_replicas, effective(home));
}

void observe(HomeState& home,
             const routing::RoutedService& routed,
             const routing::Observations& observations) {
    const auto found = observations.find(home.candidate.cluster);
    const bool seen = found != observations.end();
    if (routed.policies.capacity) {
        home.fallback = "no capacity report yet";
        if (!home.has_scheme) {
            home.fallback = "capacity target is invalid: ";
        } else if (seen && found->second.capacity) {
            home.reported = found->second.capacity->ceiling;
            home.fallback = home.reported ? "" : found->second.capacity->fallback_reason;
        }
    }
    if (routed.policies.probe && seen && found->second.probe && home.has_scheme) {
        home.block = found->second.probe->state;
        if (home.block->last_probe_time) {
            home.block->last_probe_time->nanoseconds = 0;
        }
        if (found->second.probe->conclusive) {
            home.reachable = !home.block->gated;
        }
    }
}

cpp_int milli(const HomeState& home) {
    const Fraction value = home.factor ? value_of(*home.factor) : Fraction(1);
    return value <= 0 ? cpp_int(1000) : round_up(value * 1000);
}

// Step 4 and 5; returns the common divisor.
cpp_int set_raws(std::vector<HomeState>& homes, bool obey_gates) {
    cpp_int divisor = 0;
    for (HomeState& home : homes) {
        home.raw = 0;
        const bool closed = obey_gates && home.reachable && !*home.reachable;
        if (routable(home) > 0 && !closed) {
            home.raw = milli(home) * routable(home);
            divisor = divisor == 0 ? home.raw : cpp_int(gcd(divisor, home.raw));
        }
    }
    return divisor;
}

bool everyone_gated(const std::vector<HomeState>& homes) {
    std::size_t gated = 0;
    for (const HomeState& home : homes) {
        gated += static_cast<std::size_t>(home.reachable && !*home.reachable);
    }
    return !homes.empty() && gated == homes.size();
}

void set_weights(std::vector<HomeState>& homes, bool preserve) {
    cpp_int divisor = set_raws(homes, true);
    if (divisor == 0 && preserve && everyone_gated(homes)) {
        divisor = set_raws(homes, false);
    }
    cpp_int largest = 0;
    for (HomeState& home : homes) {
        home.raw = divisor == 0 ? cpp_int(0) : cpp_int(home.raw / divisor);
        largest = std::max(largest, home.raw);
    }
    for (HomeState& home : homes) {
        const cpp_int weight =
            largest <= 1000000 ? home.raw : round_up(Fraction(home.raw * 1000000, largest));
        home.weight = static_cast<std::int64_t>(weight);
    }
}

void withdraw_and_drain(HomeState& home, const std::vector<routing::Drain>& drains) {
    home.weight = home.withdrawn ? 0 : home.weight;
    home.undrained = home.weight;
    for (const routing::Drain& drain : drains) {
        if (drain.cluster == home.candidate.cluster) {
            home.drains.push_back(drain.id);
            home.weight = 0;
        }
    }
    std::sort(home.drains.begin(), home.drains.end());
}

std::vector<HomeState> homes_of(const routing::InferenceService& service,
                                const routing::RoutedService& routed,
                                const routing::Observations& observations) {
    std::vector<HomeState> homes;
    if (!service.status || service.status->phase != "Placed") {
        return homes;
    }
    for (const routing::Candidate& candidate : service.status->candidates) {
        if (!is_home(service.status->plan, candidate)) {
            continue;
        }
        HomeState home;
        home.candidate = candidate;
        home.has_scheme = candidate.endpoint.find("://") != std::string::npos;
        home.withdrawn =
            service.status->plan && candidate.allocation && candidate.allocation->drain_requested;
        if (service.routing && service.routing->capacity_factors.contains(candidate.cluster)) {
            home.factor = service.routing->capacity_factors.at(candidate.cluster);
        }
        observe(home, routed, observations);
        homes.push_back(home);
    }
    std::sort(homes.begin(), homes.end(), [](const HomeState& a, const HomeState& b) {
        return a.candidate.cluster < b.candidate.cluster;
    });
    return homes;
}

routing::Entry entry_of(const HomeState& home) {
    routing::Entry entry;
    entry.cluster = home.candidate.cluster;
    entry.endpoint = home.candidate.endpoint;
    entry.weight = static_cast<std::int32_t>(home.weight);
    entry.healthy = home.candidate.ready_replicas > 0 && !(home.reachable && !*home.reachable);
    entry.capacity.allocated = effective(home);
    entry.capacity.ready = home.candidate.ready_replicas;
    entry.capacity.factor = home.factor;
    entry.capacity.reported = home.reported;
    entry.capacity.fallback_reason = home.fallback;
    if (home.reported && effective(home) != home.candidate.admitted_replicas) {
        entry.capacity.source = routing::CapacitySource::Endpoint;
    }
    entry.probe = home.block;
    entry.drain_refs = home.drains;
    return entry;
}

routing::RoutableVerdict verdict_of(const routing::InferenceService& service,
                                    const std::vector<HomeState>& homes) {
    if (!service.status || service.status->phase != "Placed") {
        return {false, "NotPlaced"};
    }
    bool weighted = false;
    bool undrained = false;
    bool ready = false;
    bool capable = false;
    for (const HomeState& home : homes) {
        weighted = weighted || home.weight > 0;
        undrained = undrained || home.undrained > 0;
        ready = ready || home.candidate.ready_replicas > 0;
        capable = capable || routable(home) > 0;
    }
    if (homes.empty()) {
        return {false, "NoAddressableHome"};
    }
    if (weighted) {
        return {true, everyone_gated(homes) ? "AllHomesProbeFailed" : "Routable"};
    }
    if (undrained) {
        return {false, "TrafficDrain"};
    }
    if (!ready) {
        return {false, "AllHomesUnready"};
    }
    return {false, capable && everyone_gated(homes) ? "AllHomesProbeFailed" : "NoRoutableCapacity"};
}

}  // namespace

Fraction value_of(const std::string& quantity) {
    const std::size_t number_end =
        std::min(quantity.find_first_not_of("+-.0123456789"), quantity.size());
    std::string number = quantity.substr(0, number_end);
    const bool negative = number[0] == '-';
    number.erase(0, number.find_first_not_of("+-"));
    const std::size_t point = number.find('.');
    const int places = point == std::string::npos ? 0 : static_cast<int>(number.size() - point - 1);
    std::erase(number, '.');
    number.erase(0, std::min(number.find_first_not_of('0'), number.size() - 1));
    Fraction value =
        Fraction(cpp_int(number)) * scale(10, -places) * suffix_value(quantity.substr(number_end));
    value = Fraction(round_up(value * power(10, 9)), power(10, 9));
    const bool binary = quantity.ends_with('i');
    if (binary && !negative && value > Fraction((cpp_int(1) << 63) - 1)) {
        value = Fraction((cpp_int(1) << 63) - 1);
    }
    return negative ? Fraction(-value) : value;
}

routing::Plan plan_of(const routing::InferenceService& service,
                      const routing::RoutedService& routed,
                      const routing::Observations& observations) {
    std::vector<HomeState> homes = homes_of(service, routed, observations);
    const bool preserve = !routed.policies.probe || routed.policies.probe->all_failed_policy ==
                                                        core::AllFailedPolicy::PreserveTraffic;
    set_weights(homes, preserve);
    routing::Plan plan;
    plan.spec.service = service.key.name;
    plan.spec.mode = service.placement ? service.placement->mode : "";
    plan.spec.observed_isvc_generation = service.generation;
    if (service.status && service.status->plan) {
        plan.spec.placement_plan_id = service.status->plan->id;
    }
    for (HomeState& home : homes) {
        withdraw_and_drain(home, routed.drains);
        plan.spec.entries.push_back(entry_of(home));
    }
    plan.verdict = verdict_of(service, homes);
    return plan;
}

}  // namespace ome::model
