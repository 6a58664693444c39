// Taking a workload cluster out of all services, and putting it back: which services that is about,
// what each loses by it, and how far maps and routes have followed.
#pragma once

#include "cluster.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ome::kubectl {

/// A service that the cluster is a home of.
struct Affected {
    core::ServiceKey key;
    std::int64_t weight = 0;        ///< of the cluster, now
    std::size_t other_serving = 0;  ///< other homes with a weight
    bool held = false;              ///< by the drain of this ID already
    bool held_back = false;         ///< it would serve if no drain held it
    bool returns = false;           ///< held back by drains alone that end by themselves

    [[nodiscard]] bool last_serving() const {
        return (weight > 0 || returns) && other_serving == 0;
    }
};

/// The services whose maps have an entry of the cluster, by name.
[[nodiscard]] std::vector<Affected> affected_by(const std::vector<json::value>& maps,
                                                std::string_view cluster,
                                                std::string_view id);

/// Whether all drains that the service has of the cluster end by themselves, and there are some.
[[nodiscard]] bool drains_lapse(const json::value& service, std::string_view cluster);

/// Of all entries of the maps, each once, in order.
[[nodiscard]] std::vector<std::string> clusters_of(const std::vector<json::value>& maps);

/// That drains of the services hold, each once, in order.
[[nodiscard]] std::vector<std::string> drained_clusters_of(
    const std::vector<json::value>& services);

/// Services that have a drain of this ID on this cluster, by name.
[[nodiscard]] std::vector<core::ServiceKey> held_by(const std::vector<json::value>& services,
                                                    std::string_view cluster,
                                                    std::string_view id);

/// The ID of a cluster's drain where none is given: a DNS-1123 label made of the cluster's name.
[[nodiscard]] std::string id_for_cluster(std::string_view cluster);

/// Whether a route is to follow the map: something is published of it, or may be.
[[nodiscard]] bool has_route(const json::value& map);

enum class Followed : std::uint8_t { No, Map, Route };
/// How far a map has followed a drain that was put on (`drained`) or taken off. Without a publisher
/// the map is all there is.
[[nodiscard]] Followed followed(const json::value& map,
                                std::string_view cluster,
                                std::string_view id,
                                bool drained);

}  // namespace ome::kubectl
