// Fixed inputs of the benchmarks: one installation, and services whose homes are probed and polled.
#pragma once

#include "support/sample_installation.hpp"
#include <ome/core/policy_resolution.hpp>
#include <ome/core/reading.hpp>
#include <ome/routing/inference_service.hpp>

#include <cstddef>
#include <string>

namespace ome::bench {

using test::sample_installation;

inline constexpr core::WallTime sample_instant{1'790'000'000, 0};

[[nodiscard]] inline std::string sample_cluster(std::size_t home) {
    return "worker-" + std::to_string(home);
}

[[nodiscard]] inline std::string sample_endpoint(std::size_t home) {
    return "http://" + sample_cluster(home) + ".example.com:8080/v1/chat";
}

[[nodiscard]] inline routing::InferenceService sample_service(const std::string& name,
                                                              std::size_t homes) {
    routing::InferenceService service;
    service.key = {"demo", name};
    service.uid = "uid-" + name;
    service.generation = 1;
    service.placement = routing::PlacementIntent{.policy = "ClusterAffinity", .mode = "Split"};
    service.status = routing::PlacementStatus{.phase = "Placed", .candidates = {}};
    for (std::size_t home = 0; home < homes; ++home) {
        service.status->candidates.push_back({.cluster = sample_cluster(home),
                                              .phase = "Admitted",
                                              .endpoint = sample_endpoint(home),
                                              .admitted_replicas = 9,
                                              .ready_replicas = 9});
    }
    return service;
}

/// A home that answers well: four samples that are good for a day, and an open gate.
[[nodiscard]] inline core::HomeReading sample_reading(const std::string& cluster,
                                                      const std::string& endpoint,
                                                      const std::string& capacity_digest,
                                                      const std::string& probe_digest,
                                                      std::int32_t ceiling) {
    constexpr std::int64_t day = 86'400;
    core::HomeReading reading{
        .cluster = cluster, .endpoint = endpoint, .capacity = {}, .probe = {}};
    core::CapacityReading& capacity = reading.capacity.emplace();
    capacity.policy_digest = capacity_digest;
    capacity.ceiling = ceiling;
    for (std::int64_t age = 4; age > 0; --age) {
        const core::WallTime at{sample_instant.seconds - 10 * age, 0};
        capacity.samples.push_back({ceiling, at, {at.seconds + day, 0}});
    }
    capacity.valid_until = capacity.samples.back().expires_at;
    capacity.last_attempt_time = capacity.samples.back().observed_at;
    core::ProbeReading& probe = reading.probe.emplace();
    probe.policy_digest = probe_digest;
    probe.result = core::ProbeResult::Passing;
    probe.message = "HTTP 200";
    probe.conclusive = true;
    probe.consecutive_passes = 5;
    probe.last_probe_time = capacity.last_attempt_time;
    return reading;
}

}  // namespace ome::bench
