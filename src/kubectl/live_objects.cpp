#include "live_objects.hpp"

#include <utility>

namespace ome::kubectl {

Answer<LiveObjects> LiveObjects::open(Cluster& cluster, Kind kind, const std::string& ns) {
    auto watch = cluster.watch(kind, ns);
    if (!watch) {
        return watch.error();
    }
    LiveObjects live(*std::move(watch));
    if (auto error = live.follow(core::Duration::zero())) {  // everything that is there
        return *std::move(error);
    }
    return live;
}

std::optional<ClusterError> LiveObjects::follow(core::Duration most) {
    auto changes = watch_->next(most);
    if (!changes) {
        return changes.error();
    }
    for (Change& change : *changes) {
        if (change.object.is_null()) {
            objects_.erase(change.key);
        } else {
            objects_[change.key] = std::move(change.object);
        }
    }
    return std::nullopt;
}

}  // namespace ome::kubectl
