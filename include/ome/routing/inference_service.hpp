// The part of an InferenceService that routing reads (contract/trafficmap.md 1.1). Everything else
// of the object is somebody else's and is ignored. Read, not checked: what is wrong with the values
// is for eligibility.hpp and core/policy_rules.hpp to say.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ome::routing {

/// `status.placement.candidates[].allocation`.
struct Allocation {
    std::int32_t current_replicas = 0;
    std::int32_t desired_replicas = 0;
    bool current_home = false;
    bool desired_home = false;
    bool race_candidate = false;
    bool drain_requested = false;  ///< the plan withdraws the home: weight 0
};

/// `status.placement.candidates[]`.
struct Candidate {
    std::string cluster;
    std::string phase;     ///< only `Admitted` counts
    std::string endpoint;  ///< verbatim; empty: none
    std::int32_t admitted_replicas = 0;
    std::int32_t ready_replicas = 0;
    std::optional<Allocation> allocation = {};
};

/// `status.placement.plan`.
struct PlacementPlan {
    std::string id;
    std::int64_t revision = 0;
    std::string mode;
    std::string winner;                             ///< of a Single plan; empty: none yet
    std::optional<std::string> move_selected = {};  ///< `singleMove.selected`; absent: no move
};

/// `status.placement`.
struct PlacementStatus {
    std::string phase;
    std::optional<PlacementPlan> plan = {};
    std::vector<Candidate> candidates;
};

/// `spec.placement`: what contract/trafficmap.md 1.4 validates.
struct PlacementIntent {
    std::string policy;
    std::string mode;  ///< copied to the map; never changes the arithmetic
    struct Split {
        std::optional<std::int64_t> replicas = {};
        std::optional<std::int64_t> max_replicas_per_cluster = {};
    };
    std::optional<Split> split = {};
    std::optional<std::string> replacement_timeout = {};  ///< a duration as it was written
};

struct InferenceService {
    core::ServiceKey key;
    std::string uid;
    std::int64_t generation = 0;
    std::string resource_version;
    bool deleting = false;      ///< has a deletionTimestamp
    bool derived_copy = false;  ///< label placement-origin or annotation placement-origin-uid
    std::optional<std::string> drains = {};  ///< annotation ome.io/traffic-drain; may be empty
    std::optional<std::string> drain_expiries = {};  ///< annotation ome.io/traffic-drain-expiry
    bool has_accelerator_requirements = false;       ///< the obsolete annotations: the key is there
    bool has_cluster_selector = false;
    std::optional<std::string> global_host = {};  ///< annotation ome.io/global-host
    std::optional<std::string> shadow = {};       ///< annotation ome-observer/shadow
    std::vector<std::string> finalizers = {};
    std::optional<PlacementIntent> placement = {};
    std::optional<core::ServiceRoutingSettings> routing = {};
    std::optional<PlacementStatus> status = {};  ///< `status.placement`
    /// Members of `spec.placement` and `spec.routing` that nobody reads and whose names come near
    /// one that is: `spec.routing.probe.perod is not known and is ignored; did you mean period?`
    std::vector<core::Problem> slips = {};
};

}  // namespace ome::routing
