// An operator's configuration that a test or a benchmark starts from.
#pragma once

#include <ome/core/policy_settings.hpp>

#include <cstdint>
#include <vector>

namespace ome::test {

/// Routing is on, with a probe and a capacity poll every 10 s.
[[nodiscard]] inline core::RoutingSettings sample_installation() {
    core::RoutingSettings settings;
    settings.enabled = true;
    settings.observer = {.max_concurrent_reconciles = 8,
                         .max_concurrent_requests = 64,
                         .max_response_bytes = 65536,
                         .min_period = "1s",
                         .max_samples = 100};
    settings.probe = {.path = "/v1/models",
                      .method = "GET",
                      .accept_statuses = std::vector<std::int64_t>{200},
                      .gate_statuses = std::vector<std::int64_t>{500, 503},
                      .period = "10s",
                      .timeout = "3s",
                      .failure_threshold = 3,
                      .success_threshold = 2,
                      .all_failed_policy = "PreserveTraffic"};
    settings.capacity = {.path = "/capacity",
                         .method = "GET",
                         .format = "Report",
                         .period = "10s",
                         .timeout = "3s",
                         .samples = 4,
                         .quorum = 1,
                         .max_age = "300s"};
    settings.publisher.resync_interval = "1m";
    return settings;
}

}  // namespace ome::test
