// Settings that keep every rule, to be broken one at a time.
#pragma once

#include <ome/core/policy_settings.hpp>

namespace ome::core::samples {

inline ProbeSettings probe() {
    return {.disabled = {},
            .path = "/v1/models",
            .method = "GET",
            .accept_statuses = {{200}},
            .gate_statuses = {{404, 500, 503}},
            .period = "10s",
            .timeout = "3s",
            .failure_threshold = 3,
            .success_threshold = 2,
            .all_failed_policy = "PreserveTraffic"};
}

inline CapacitySettings capacity() {
    return {.disabled = {},
            .path = "/capacity",
            .method = "GET",
            .format = "Report",
            .options = {},
            .period = "10s",
            .timeout = "3s",
            .samples = 4,
            .quorum = 3,
            .max_age = "40s"};
}

inline RoutingSettings routing() {
    return {.enabled = true,
            .observer = {.max_concurrent_reconciles = 8,
                         .max_concurrent_requests = 16,
                         .max_response_bytes = 65536,
                         .min_period = "1s",
                         .max_samples = 100},
            .probe = probe(),
            .capacity = capacity(),
            .publisher = {.name = {}, .resync_interval = "1m", .options = {}}};
}

inline ServiceRoutingSettings service() {
    return {.enabled = {},
            .capacity_factors = {},
            .probe = probe(),
            .capacity = capacity(),
            .publisher_options = {}};
}

}  // namespace ome::core::samples
