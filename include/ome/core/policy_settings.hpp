// Settings of policies as they were written: nothing is checked yet, and every member knows whether
// it was there at all, since the rules of the CRD tell a present `0s` or `{}` from an absent one
// (contract/observer.md 13.5). Durations are texts. What makes checked policies of these is in
// policy_rules.hpp and policy_resolution.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::core {

using Options = std::map<std::string, std::string>;

struct ProbeSettings {
    std::optional<bool> disabled = {};  ///< only a service's own block has it
    std::optional<std::string> path = {};
    std::optional<std::string> method = {};
    std::optional<std::vector<std::int64_t>> accept_statuses = {};
    std::optional<std::vector<std::int64_t>> gate_statuses = {};
    std::optional<std::string> period = {};
    std::optional<std::string> timeout = {};
    std::optional<std::int64_t> failure_threshold = {};
    std::optional<std::int64_t> success_threshold = {};
    std::optional<std::string> all_failed_policy = {};
};

struct CapacitySettings {
    std::optional<bool> disabled = {};  ///< only a service's own block has it
    std::optional<std::string> path = {};
    std::optional<std::string> method = {};
    std::optional<std::string> format = {};
    std::optional<Options> options = {};
    std::optional<std::string> period = {};
    std::optional<std::string> timeout = {};
    std::optional<std::int64_t> samples = {};
    std::optional<std::int64_t> quorum = {};
    std::optional<std::string> max_age = {};
};

struct ObserverSettings {
    std::optional<std::int64_t> max_concurrent_reconciles = {};
    std::optional<std::int64_t> max_concurrent_requests = {};
    std::optional<std::int64_t> max_response_bytes = {};
    std::optional<std::string> min_period = {};
    std::optional<std::int64_t> max_samples = {};
};

struct PublisherSettings {
    std::optional<std::string> name = {};
    std::optional<std::string> resync_interval = {};
    std::optional<Options> options = {};
};

/// The member `routing` of the `multicluster` object (contract/observer.md 13.1). There are no
/// defaults: what is absent is absent.
struct RoutingSettings {
    std::optional<bool> enabled = {};
    ObserverSettings observer = {};
    ProbeSettings probe = {};        ///< without a path: off
    CapacitySettings capacity = {};  ///< without a path: off
    PublisherSettings publisher = {};
};

/// `spec.routing` of an InferenceService.
struct ServiceRoutingSettings {
    std::optional<bool> enabled = {};
    Options capacity_factors = {};  ///< Kubernetes quantities by cluster
    std::optional<ProbeSettings> probe = {};
    std::optional<CapacitySettings> capacity = {};
    std::optional<Options> publisher_options = {};
};

}  // namespace ome::core
