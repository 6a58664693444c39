// What one run of `kubectl ome traffic drain-cluster` or `undrain-cluster` is about, and its parts:
// which services (drain_cluster_search.cpp), writing their drains (drain_cluster_write.cpp), and
// waiting for maps and routes (drain_cluster_wait.cpp).
#pragma once

#include "action_text.hpp"
#include "drain_action.hpp"
#include "session.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ome::kubectl {

struct ClusterDrain {
    Session& session;
    Cluster& cluster;
    std::string name;      ///< of the workload cluster
    std::string ns;        ///< empty: all namespaces
    DrainRequest request;  ///< of no service yet
    DryRun mode = DryRun::None;
    bool skip_last = false;

    [[nodiscard]] bool drains() const { return request.hold.has_value(); }
    [[nodiscard]] bool lapses() const { return request.hold && request.hold->until; }
};

/// As people write it.
[[nodiscard]] std::string name_of(const core::ServiceKey& key);

struct ServicesToDrain {
    std::vector<core::ServiceKey> keys;
    std::size_t last_ones = 0;  ///< that lose their last serving home
};
/// Warns of what they lose. The problem: they cannot be listed, or nobody knows the cluster.
[[nodiscard]] core::Result<ServicesToDrain> services_to_drain(const ClusterDrain& run);

struct DrainsWritten {
    std::vector<core::ServiceKey> done;
    std::set<core::ServiceKey> already;  ///< of done: nothing was to be written
    std::vector<std::pair<core::ServiceKey, std::string>> failed;
};
/// One after the other, each again where somebody else wrote in between.
[[nodiscard]] DrainsWritten write_drains(const ClusterDrain& run,
                                         const std::vector<core::ServiceKey>& keys);

/// Until the routes have followed, or the maps where nothing is published. The exit code.
[[nodiscard]] int wait_for_maps(const ClusterDrain& run,
                                const std::vector<core::ServiceKey>& keys,
                                core::Duration timeout);

}  // namespace ome::kubectl
