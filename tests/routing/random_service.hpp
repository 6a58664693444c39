// Services as nobody writes them, for the property tests.
#pragma once

#include <ome/routing/traffic_pass.hpp>

#include <limits>
#include <random>
#include <string>

namespace ome::routing {

struct RandomCase {
    InferenceService service;
    RoutedService routed;
    Observations observed;
};

class RandomServices {
public:
    explicit RandomServices(std::uint64_t seed) : random_(seed) {}

    RandomCase next() {
        RandomCase made;
        made.routed = routed();
        made.service = service();
        for (const Candidate& candidate :
             made.service.status ? made.service.status->candidates : std::vector<Candidate>()) {
            if (below(6) != 0) {
                made.observed[candidate.cluster] = observation();
            }
            if (below(3) == 0) {
                made.service.routing->capacity_factors[candidate.cluster] = factor();
            }
        }
        return made;
    }

    std::string factor() {
        static const char* const suffixes[] = {
            "n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
        std::string text = std::to_string(below(4) == 0 ? random_() : below(2000));
        if (below(3) == 0) {
            text += "." + std::to_string(below(2) == 0 ? random_() : below(1000));
        }
        if (below(20) == 0) {
            text = (below(2) == 0 ? "+" : "-") + text;
        }
        return text + (below(5) == 0 ? exponent() : suffixes[below(std::size(suffixes))]);
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool one_in(std::size_t limit) { return below(limit) == 0; }

    std::string exponent() {
        const int value = static_cast<int>(below(80)) - 40;
        return (one_in(2) ? "e" : "E") + std::string(value > 0 && one_in(3) ? "+" : "") +
               std::to_string(value);
    }

    std::int32_t count() {
        switch (below(8)) {
            case 0:
                return 0;
            case 1:
                return std::numeric_limits<std::int32_t>::max() -
                       static_cast<std::int32_t>(below(3));
            case 2:
                return -static_cast<std::int32_t>(below(5));
            case 3:
                return static_cast<std::int32_t>(random_());
            default:
                return static_cast<std::int32_t>(below(12));
        }
    }

    std::string cluster(std::size_t index) {
        static const char* const names[] = {
            "worker-b", "worker-10", "worker-9", "Worker-1", "a", "z", "worker-a", "c"};
        return names[index % std::size(names)];
    }

    std::string endpoint(const std::string& name) {
        switch (below(24)) {
            case 0:
                return "";
            case 1:
                return "no-host";
            case 2:
                return "//" + name + ".example";
            case 3:
                return "http://";
            default:
                return "https://" + name + ".example/v1";
        }
    }

    Allocation allocation() {
        Allocation made;
        made.current_replicas = static_cast<std::int32_t>(below(2));
        made.desired_replicas = static_cast<std::int32_t>(below(2));
        made.current_home = one_in(4);
        made.desired_home = one_in(4);
        made.race_candidate = one_in(4);
        made.drain_requested = one_in(4);
        return made;
    }

    Candidate candidate(const std::string& name) {
        Candidate made;
        made.cluster = name;
        made.phase = one_in(12) ? (one_in(2) ? "Placed" : "Admitting") : "Admitted";
        made.endpoint = endpoint(name);
        made.admitted_replicas = count();
        made.ready_replicas = one_in(2) ? made.admitted_replicas : count();
        if (one_in(2)) {
            made.allocation = allocation();
        }
        return made;
    }

    PlacementPlan plan() {
        PlacementPlan made;
        made.id = "plan-" + std::to_string(below(9));
        made.mode = one_in(2) ? "Single" : (one_in(2) ? "All" : "Split");
        made.winner = one_in(5) ? "" : cluster(below(8));
        if (one_in(2)) {
            made.move_selected = one_in(3) ? made.winner : cluster(below(8));
        }
        return made;
    }

    InferenceService service() {
        InferenceService made;
        made.key = {"prod", "svc"};
        made.generation = static_cast<std::int64_t>(below(100));
        made.routing.emplace();
        if (!one_in(10)) {
            made.placement =
                PlacementIntent{.policy = "ClusterAffinity", .mode = one_in(2) ? "All" : "Split"};
        }
        if (one_in(30)) {
            return made;
        }
        made.status.emplace().phase = one_in(20) ? "Racing" : "Placed";
        if (one_in(2)) {
            made.status->plan = plan();
        }
        const std::size_t first = below(8);
        const std::size_t homes = below(6);
        for (std::size_t i = 0; i < homes; ++i) {
            made.status->candidates.push_back(candidate(cluster(first + i * 3)));
        }
        return made;
    }

    RoutedService routed() {
        RoutedService made;
        gate_one_in_ = one_in(2) ? 1 : 3;
        if (!one_in(5)) {
            made.policies.probe.emplace().all_failed_policy =
                one_in(2) ? core::AllFailedPolicy::Drain : core::AllFailedPolicy::PreserveTraffic;
            made.policies.probe->failure_threshold = 3;
        }
        if (!one_in(3)) {
            made.policies.capacity.emplace();
        }
        const std::size_t drains = one_in(2) ? 0 : below(4);
        for (std::size_t i = 0; i < drains; ++i) {
            made.drains.push_back(
                {std::string(1, static_cast<char>('z' - i)), cluster(below(8)), "why"});
        }
        return made;
    }

    HomeObservation observation() {
        HomeObservation made;
        if (one_in(2)) {
            made.capacity = one_in(3)
                                ? CapacityObservation{{}, "capacity endpoint returned HTTP 404"}
                                : CapacityObservation{std::max(0, count()), {}};
        }
        if (!one_in(8)) {
            ProbeObservation& probe = made.probe.emplace();
            probe.conclusive = !one_in(12);
            probe.state.gated = one_in(gate_one_in_);
            probe.state.result =
                probe.state.gated ? core::ProbeResult::Failing : core::ProbeResult::Passing;
            probe.state.last_probe_time = core::WallTime{1'790'000'000, 5};
            probe.state.consecutive_failures = static_cast<std::int32_t>(below(5));
            probe.state.message = "HTTP 503";
        }
        return made;
    }

    std::mt19937_64 random_;
    std::size_t gate_one_in_ = 3;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int random_rounds = 5'000;
#else
inline constexpr int random_rounds = 100'000;
#endif

}  // namespace ome::routing
