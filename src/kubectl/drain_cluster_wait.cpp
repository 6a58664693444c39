#include "cluster_drain.hpp"
#include "drain_cluster.hpp"
#include "live_objects.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <map>

namespace ome::kubectl {
namespace {

constexpr core::Duration look_interval = std::chrono::milliseconds(250);

using Maps = std::map<core::ServiceKey, json::value>;

/// How far the maps of some services have come, with a line for each step.
class Progress {
public:
    Progress(const ClusterDrain& run, const std::vector<core::ServiceKey>& keys)
        : run_(run), keys_(keys) {}

    /// Those that are not there yet.
    std::vector<core::ServiceKey> look(const Maps& maps) {
        std::vector<core::ServiceKey> behind;
        std::size_t followed_maps = 0;
        std::size_t routes = 0;
        std::size_t followed_routes = 0;
        for (const core::ServiceKey& key : keys_) {
            const Followed far = how_far(maps, key);
            followed_maps += far != Followed::No ? 1U : 0U;
            const auto map = maps.find(key);
            const bool routed = map == maps.end() || has_route(map->second);
            routes += routed ? 1U : 0U;
            followed_routes += routed && far == Followed::Route ? 1U : 0U;
            if (far != Followed::Route) {
                behind.push_back(key);
            }
        }
        show(fmt::format(
            "maps {}/{}{}\n",
            followed_maps,
            keys_.size(),
            routes == 0 ? std::string() : fmt::format(", routes {}/{}", followed_routes, routes)));
        return behind;
    }

private:
    [[nodiscard]] Followed how_far(const Maps& maps, const core::ServiceKey& key) const {
        if (const auto map = maps.find(key); map != maps.end()) {
            return followed(map->second, run_.name, run_.request.id, run_.drains());
        }
        // A map that is gone sends nothing anywhere; one that cannot be read may.
        const auto map = run_.cluster.get(Kind::TrafficMap, key, run_.session.request_time());
        return !map && map.error().what == Failure::NotFound ? Followed::Route : Followed::No;
    }

    void show(std::string progress) {
        if (progress != shown_) {
            run_.session.terminal().err(progress);
            shown_ = std::move(progress);
        }
    }

    const ClusterDrain& run_;
    const std::vector<core::ServiceKey>& keys_;
    std::string shown_;
};

}  // namespace

int wait_for_maps(const ClusterDrain& run,
                  const std::vector<core::ServiceKey>& keys,
                  core::Duration timeout) {
    Session& session = run.session;
    auto maps = LiveObjects::open(run.cluster, Kind::TrafficMap, run.ns);
    if (!maps) {
        return session.fail(fmt::format("watch trafficmaps: {}", words_in_full(maps.error())));
    }
    const core::SteadyTime began = session.now().steady;
    Progress progress(run, keys);
    for (;;) {
        const std::vector<core::ServiceKey> behind = progress.look(maps->objects());
        if (behind.empty()) {
            return 0;
        }
        if (session.now().steady - began >= timeout || session.terminal().interrupted()) {
            for (const core::ServiceKey& key : behind) {
                session.terminal().err(fmt::format("error: {} has not followed\n", name_of(key)));
            }
            return 1;
        }
        if (const auto error = maps->follow(look_interval)) {
            return session.fail(fmt::format("watch trafficmaps: {}", words_in_full(*error)));
        }
    }
}

}  // namespace ome::kubectl
