#include "samples.hpp"
#include "weights.hpp"
#include <ome/routing/explanation.hpp>
#include <ome/routing/observation.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <benchmark/benchmark.h>

namespace ome::bench {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

// A service with all that a pass knows of it.
struct Known {
    explicit Known(std::size_t homes)
        : service(sample_service("chat", homes)),
          routed(**routing::admit(service, sample_installation())) {
        for (const routing::Home& home : routing::serving_homes(service)) {
            const core::HomeReading reading = sample_reading(home.cluster,
                                                             home.endpoint,
                                                             routed.policies.capacity->digest,
                                                             routed.policies.probe->digest,
                                                             8);
            seen.emplace(
                home.cluster,
                routing::project(&reading, home.endpoint, routed.policies, sample_instant));
        }
    }

    routing::InferenceService service;
    routing::RoutedService routed;
    routing::Observations seen;
};

void RoutingAdmit(State& state) {
    const Known known(4);
    const core::RoutingSettings installation = sample_installation();
    for (auto _ : state) {
        DoNotOptimize(routing::admit(known.service, installation));
    }
}
BENCHMARK(RoutingAdmit);

void RoutingWeights(State& state) {
    std::vector<routing::WeightInput> homes;
    for (std::int32_t home = 0; home < state.range(0); ++home) {
        homes.push_back({.allocated = 10 + home % 7,
                         .ready = 9,
                         .factor = core::parse_quantity(home % 2 == 0 ? "1500m" : "1"),
                         .reported = 8,
                         .reachable = true});
    }
    for (auto _ : state) {
        DoNotOptimize(routing::weigh(homes, core::AllFailedPolicy::PreserveTraffic));
    }
}
BENCHMARK(RoutingWeights)->Arg(2)->Arg(10)->Arg(100);

void RoutingPlan(State& state) {
    const Known known(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        DoNotOptimize(routing::build_plan(known.service, known.routed, known.seen));
    }
}
BENCHMARK(RoutingPlan)->Arg(2)->Arg(10)->Arg(100);

void RoutingDifference(State& state) {
    const Known known(10);
    const routing::Plan plan = routing::build_plan(known.service, known.routed, known.seen);
    const routing::TrafficMapSpec stored = plan.spec;
    for (auto _ : state) {
        DoNotOptimize(routing::difference(stored, plan.spec, known.routed.policies));
    }
}
BENCHMARK(RoutingDifference);

void RoutingExplain(State& state) {
    const Known known(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        DoNotOptimize(routing::text_of(routing::explain(known.service, known.routed, known.seen)));
    }
}
BENCHMARK(RoutingExplain)->Arg(2)->Arg(10)->Arg(100);

}  // namespace
}  // namespace ome::bench
