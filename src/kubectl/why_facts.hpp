// What `traffic why` has to go by: the service and its map as values, and what follows from them.
#pragma once

#include <ome/core/policy_settings.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/drain_expiry.hpp>
#include <ome/routing/drains.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/traffic_map.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::kubectl {

/// Objects that could be read, and what follows from them.
struct WhyFacts {
    routing::InferenceService service;
    std::optional<routing::TrafficMap> map = {};
    /// By cluster, of the service as it is now; and the weights by the same computation.
    std::map<std::string, std::string> explanations = {};
    std::map<std::string, std::int32_t> weights_now = {};
    std::vector<routing::Drain> drains = {};
    std::vector<routing::DrainExpiry> expiries = {};
    core::WallTime now = {};
    bool drains_known = true;     ///< false: the annotation is malformed, and `drains` says nothing
    bool service_known = true;    ///< false: only its key, the rest of `service` says nothing
    bool frozen = false;          ///< the map; nothing but mending that changes it
    std::string place_flag = {};  ///< what a suggested command needs, to ask the same place

    /// What kubectl itself cannot be asked.
    [[nodiscard]] bool in_folder() const { return place_flag.starts_with(" --store"); }
};

/// A service alone, with its drains as far as they can be read.
[[nodiscard]] WhyFacts facts_of(routing::InferenceService service, core::WallTime now);

/// How the weights come about by what the service says now and the map recorded. Nothing where the
/// service is not routed. The map must be there.
void take_explanation(WhyFacts& facts, const core::RoutingSettings& installation);

/// Null: the service's placement does not name the cluster.
[[nodiscard]] const routing::Candidate* candidate_of(const routing::InferenceService& service,
                                                     const std::string& cluster);

/// A text of others as it may be shown.
[[nodiscard]] std::string clean(const std::string& text);

}  // namespace ome::kubectl
