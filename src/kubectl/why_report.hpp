// Why each cluster of a service has the weight it has: from the service, its map, and nothing else
// that would have to be asked.
#pragma once

#include "cluster.hpp"
#include "freshness.hpp"
#include "output.hpp"
#include <ome/core/policy_settings.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/traffic_map.hpp>
#include <ome/routing/zero_weight.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ome::kubectl {

/// A cluster that gets traffic, or the reason why it does not.
struct ClusterReason {
    std::string cluster;
    bool entry = false;  ///< the map has it
    std::int64_t weight = 0;
    double share = 0;
    /// `Serving`, `Drained`, ...; of a cluster without an entry `NotAHome`; `NotRouted` where the
    /// service has no map at all.
    std::string reason = {};
    std::string why = {};          ///< the reason in words, for a weight of 0
    bool behind = false;           ///< the explanation is of the service now, the weight older
    std::string explanation = {};  ///< the steps from the replicas to the weight; empty: not known
    std::vector<std::string> evidence = {};  ///< what it rests on, and how old that is
    std::vector<std::string> changes = {};   ///< what would change it
};

struct WhyReport {
    core::ServiceKey key;
    core::WallTime collected_at;
    std::string routable = {};   ///< the condition in words, which counts all entries
    std::string traffic = {};    ///< how many homes really get some
    std::string table = {};      ///< which generation the map follows
    std::string published = {};  ///< whether the route has it
    std::string gateway = {};    ///< what the Gateway says of the route; empty: there is no route
    bool shadow = false;         ///< what is read of the homes has no effect
    /// What keeps the map or the route from being what the service asks for; the worst first.
    std::vector<std::string> problems = {};
    std::vector<ClusterReason> clusters = {};
};

/// `service`, `map`: the object, or why there is none. A service that is not there or cannot be
/// read is told by what its map says. `cluster`: only this one, also when the map has no such
/// entry; empty: all entries, and the candidates of the placement that have none. `installation`:
/// absent when it is not known. `place_flag`: for the commands that are suggested.
[[nodiscard]] WhyReport why_report(const core::ServiceKey& key,
                                   const Answer<json::value>& service,
                                   const Answer<json::value>& map,
                                   const std::string& cluster,
                                   const std::optional<core::RoutingSettings>& installation,
                                   const std::string& place_flag,
                                   core::WallTime now);

[[nodiscard]] std::string why_text(const WhyReport& report);
[[nodiscard]] json::value why_document(const WhyReport& report);

}  // namespace ome::kubectl
