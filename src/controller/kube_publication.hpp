// The publisher's requests, carried out on an API server: its part of a map's status, its
// finalizer, and the objects of the Gateway API (contract/publisher-cli.md 1.4, 1.10 and 1.11).
//
// A decision is carried out only on what it was made on: identity and version of an object are
// compared before a write and are part of it. What others put on an object (annotations, labels,
// finalizers, owners) stays, since an update goes over the object as it is stored at the moment.
#pragma once

#include "kube_map_writer.hpp"
#include "kube_sender.hpp"
#include "store.hpp"
#include <ome/net/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>

namespace ome::controller {

/// The object is stored as this version.
using ObjectStored = std::function<void(const routing::ObjectKey& key, const std::string& version)>;

class KubePublication {
public:
    KubePublication(KubeSender& sender, MapStored map_stored, ObjectStored object_stored);

    /// Requests must outlive what they are given to.
    net::Awaitable<PublicationResult> carry_out(const MapStatusWrite& request);
    net::Awaitable<PublicationResult> carry_out(const MapFinalizerWrite& request);
    net::Awaitable<PublicationResult> carry_out(const ObjectWriteRequest& request);
    net::Awaitable<PublicationResult> carry_out(const ObjectDeleteRequest& request);

private:
    struct Look;
    using Map = std::shared_ptr<const routing::TrafficMap>;

    // Maps.
    net::Awaitable<Look> look_at_map(core::ServiceKey source, Precondition expected, Map known);
    net::Awaitable<PublicationResult> map_failed(core::ServiceKey source, kube::Failure failure);
    [[nodiscard]] PublicationResult map_taken(const core::ServiceKey& source,
                                              const boost::json::value& object) const;

    // Objects.
    net::Awaitable<PublicationResult> create(const ObjectWriteRequest& request);
    net::Awaitable<PublicationResult> replace(const ObjectWriteRequest& request);
    net::Awaitable<PublicationResult> object_failed(core::ServiceKey source,
                                                    routing::ObjectKey key,
                                                    kube::Failure failure);
    [[nodiscard]] PublicationResult object_taken(const core::ServiceKey& source,
                                                 const routing::ObjectKey& key,
                                                 const boost::json::value& object) const;

    KubeSender& sender_;
    MapStored map_stored_;
    ObjectStored object_stored_;
};

}  // namespace ome::controller
