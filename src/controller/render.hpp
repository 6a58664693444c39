// What a pass would write for a service, from files instead of a cluster.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/reading.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/explanation.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/traffic_map.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <vector>

namespace ome::controller {

/// Everything besides the service itself; what is null is not known.
struct RenderInput {
    const core::RoutingSettings& installation;
    const core::ServiceReading* reading = nullptr;
    const routing::TrafficMap* stored = nullptr;
    core::WallTime now;
};

struct Rendered {
    routing::TrafficMap map;
    routing::RoutedService routed;
    routing::Observations observations;
    /// What of the reading is not used, in whole sentences; `field` is the cluster.
    std::vector<core::Problem> unused = {};
};

/// As the folder store completes a manifest (dir_store.hpp): the uid follows from the name; the
/// generation is what the stored map has seen, else the first one. What the manifest says stays.
void complete_as_stored(routing::InferenceService& service, const routing::TrafficMap* stored);

/// The map as the controller would write it: with `stored`, that map with what would change;
/// without, a new one, whose generation the API server would make 1. A problem is what freezes the
/// service, in the words of the log, or why it gets no map (`is not routed: ...`). A reading
/// without a policy digest or endpoint counts as matching; one of another ownerUID counts as none.
/// Where no reading has a probe, the stored map's does, if it may be restored.
[[nodiscard]] core::Result<Rendered> render(const routing::InferenceService& service,
                                            const RenderInput& input);

/// Routing on, with the limits of the chart, for those who have no configuration.
[[nodiscard]] core::RoutingSettings chart_installation();

}  // namespace ome::controller
