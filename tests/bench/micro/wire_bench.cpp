#include "samples.hpp"
#include <ome/routing/ownership.hpp>
#include <ome/routing/traffic_pass.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/reading_document.hpp>
#include <ome/wire/report.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <benchmark/benchmark.h>

#include <string>

namespace ome::bench {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

void WireReport(State& state) {
    std::string body = R"({"servable":7,"observedAt":"2026-09-28T10:00:00.123Z"})";
    const std::size_t size = body.size();
    body.resize(size + 64);  // readable behind the end, as the observer's buffers are
    for (auto _ : state) {
        DoNotOptimize(wire::decode_report(std::string_view(body).substr(0, size), true));
    }
}
BENCHMARK(WireReport);

void WireReading(State& state) {
    const core::HomeReading reading =
        sample_reading(sample_cluster(0), sample_endpoint(0), "sha256:one", "sha256:two", 8);
    std::string text;
    for (auto _ : state) {
        text.clear();
        wire::append_reading(text, reading);
        DoNotOptimize(text.data());
    }
}
BENCHMARK(WireReading);

routing::TrafficMap sample_map(std::size_t homes) {
    const routing::InferenceService service = sample_service("chat", homes);
    const routing::RoutedService routed = **routing::admit(service, sample_installation());
    routing::Plan plan = routing::build_plan(service, routed, {});
    routing::TrafficMap map;
    map.meta.key = service.key;
    map.meta.generation = 1;
    map.meta.owner_references = {routing::owner_reference(service)};
    map.spec = std::move(plan.spec);
    map.status.source_uid = service.uid;
    map.status.conditions =
        routing::routing_conditions(map.spec, 1, plan.verdict, routed, {}, sample_instant);
    return map;
}

void WireMapYaml(State& state) {
    const routing::TrafficMap map = sample_map(static_cast<std::size_t>(state.range(0)));
    std::string text;
    for (auto _ : state) {
        text.clear();
        wire::append_traffic_map_yaml(text, map);
        DoNotOptimize(text.data());
    }
}
BENCHMARK(WireMapYaml)->Arg(2)->Arg(10)->Arg(100);

void WireMapJson(State& state) {
    const routing::TrafficMap map = sample_map(static_cast<std::size_t>(state.range(0)));
    std::string text;
    for (auto _ : state) {
        text.clear();
        wire::append_traffic_map_json(text, map);
        DoNotOptimize(text.data());
    }
}
BENCHMARK(WireMapJson)->Arg(2)->Arg(10)->Arg(100);

// As at a restart over a folder of maps.
void WireReadMapYaml(State& state) {
    std::string text;
    wire::append_traffic_map_yaml(text, sample_map(static_cast<std::size_t>(state.range(0))));
    for (auto _ : state) {
        DoNotOptimize(wire::read_traffic_maps(text));
    }
}
BENCHMARK(WireReadMapYaml)->Arg(2)->Arg(10)->Arg(100);

constexpr std::string_view manifest_yaml = R"(apiVersion: ome.io/v1beta1
kind: InferenceService
metadata:
  name: chat
  namespace: demo
  uid: uid-chat
  generation: 3
spec:
  placement: {policy: ClusterAffinity, mode: All}
status:
  placement:
    phase: Placed
    candidates:
    - cluster: worker-a
      phase: Admitted
      admittedReplicas: 9
      readyReplicas: 9
      endpoint: http://worker-a.example.com:8080/v1/chat
    - cluster: worker-b
      phase: Admitted
      admittedReplicas: 9
      readyReplicas: 9
      endpoint: http://worker-b.example.com:8080/v1/chat
)";

constexpr std::string_view manifest_json =
    R"({"apiVersion":"ome.io/v1beta1","kind":"InferenceService","metadata":{"name":"chat",)"
    R"("namespace":"demo","uid":"uid-chat","generation":3},"spec":{"placement":{"policy":)"
    R"("ClusterAffinity","mode":"All"}},"status":{"placement":{"phase":"Placed","candidates":[)"
    R"({"cluster":"worker-a","phase":"Admitted","admittedReplicas":9,"readyReplicas":9,)"
    R"("endpoint":"http://worker-a.example.com:8080/v1/chat"},)"
    R"({"cluster":"worker-b","phase":"Admitted","admittedReplicas":9,"readyReplicas":9,)"
    R"("endpoint":"http://worker-b.example.com:8080/v1/chat"}]}}})";

void WireReadManifestYaml(State& state) {
    for (auto _ : state) {
        DoNotOptimize(wire::read_inference_services(manifest_yaml, {}));
    }
}
BENCHMARK(WireReadManifestYaml);

void WireReadManifestJson(State& state) {
    for (auto _ : state) {
        DoNotOptimize(wire::read_inference_services(manifest_json, {}));
    }
}
BENCHMARK(WireReadManifestJson);

}  // namespace
}  // namespace ome::bench
