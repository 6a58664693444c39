// Writes and deletes of TrafficMaps for the routing controller (contract/trafficmap.md 8.4, 9.2).
#pragma once

#include "kube_sender.hpp"
#include "store.hpp"
#include <ome/net/awaitable.hpp>
#include <ome/wire/status_apply.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ome::controller {

/// The map is stored as this version.
using MapStored = std::function<void(const core::ServiceKey& key, const std::string& version)>;

class KubeMapWriter {
public:
    KubeMapWriter(KubeSender& sender, MapStored stored);

    /// Requests must outlive what they are given to.
    net::Awaitable<StoreResult> write(const MapWrite& request);
    net::Awaitable<StoreResult> remove(const MapDelete& request);

private:
    using Map = std::shared_ptr<const routing::TrafficMap>;

    net::Awaitable<std::optional<StoreResult>> look_for_staleness(const MapWrite& request);
    net::Awaitable<StoreResult> write_spec(const MapWrite& request);
    net::Awaitable<StoreResult> write_status(const MapWrite& request, Map map);
    net::Awaitable<StoreResult> failed(core::ServiceKey key, kube::Failure failure);
    net::Awaitable<StoreResult> conflict(core::ServiceKey key);
    [[nodiscard]] StoreResult taken(const core::ServiceKey& key,
                                    const kube::Outcome<boost::json::value>& object) const;

    KubeSender& sender_;
    MapStored stored_;
};

/// Where a map is.
[[nodiscard]] std::string map_path(const core::ServiceKey& key);
[[nodiscard]] kube::ApiRequest status_request(const core::ServiceKey& key,
                                              const wire::StatusApply& apply);

}  // namespace ome::controller
