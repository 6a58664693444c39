// Where two TrafficMaps say different things, for people who compare what one controller wrote with
// what another would write.
#pragma once

#include <ome/core/policy_resolution.hpp>
#include <ome/routing/traffic_map.hpp>

#include <string>
#include <vector>

namespace ome::routing {

/// One field, by its path in the document: `spec.entries[worker-a].weight`. A text that is empty:
/// the field is absent.
struct Mismatch {
    std::string field;
    std::string live;
    std::string wanted;

    friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

/// What the routing controller answers for: spec, status.sourceUID and its three conditions.
/// Quantities count by value. The stamps of probes, failure counts past the threshold, generations
/// and transition times are left out: they are the history of each writer.
[[nodiscard]] std::vector<Mismatch> mismatches(const TrafficMap& live,
                                               const TrafficMap& wanted,
                                               const core::Policies& policies);

}  // namespace ome::routing
