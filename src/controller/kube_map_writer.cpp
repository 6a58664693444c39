#include "kube_map_writer.hpp"

#include "kube_documents.hpp"
#include "missing_rights.hpp"
#include <ome/routing/ownership.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>

#include <utility>

namespace ome::controller {
namespace {

namespace json = boost::json;

StoreResult refused(core::ServiceKey key, core::Problem why) {
    return {std::move(key), StoreResult::Outcome::Failed, nullptr, std::move(why)};
}

StoreResult refused(core::ServiceKey key, const kube::Failure& why) {
    StoreResult result = refused(std::move(key), core::Problem{why.message});
    result.told = is_told_as_right(why);
    return result;
}

}  // namespace

std::string map_path(const core::ServiceKey& key) {
    return object_path(kube::traffic_maps, key.ns, key.name);
}

kube::ApiRequest status_request(const core::ServiceKey& key, const wire::StatusApply& apply) {
    return apply_request(object_path(kube::traffic_maps, key.ns, key.name, apply.subresource),
                         apply.field_manager,
                         json::serialize(apply.body));
}

KubeMapWriter::KubeMapWriter(KubeSender& sender, MapStored stored)
    : sender_(sender), stored_(std::move(stored)) {}

StoreResult KubeMapWriter::taken(const core::ServiceKey& key,
                                 const kube::Outcome<json::value>& object) const {
    auto map = wire::read_traffic_map(*object);
    if (!map) {
        return refused(key, map.error());
    }
    stored_(key, map->meta.resource_version);
    return {key,
            StoreResult::Outcome::Done,
            std::make_shared<const routing::TrafficMap>(*std::move(map)),
            {}};
}

// The decision is made anew, on what is there now.
net::Awaitable<StoreResult> KubeMapWriter::conflict(core::ServiceKey key) {
    const auto object = co_await sender_.get(map_path(key));
    if (!object && !object.error().not_found()) {
        co_return refused(std::move(key), object.error());
    }
    StoreResult result{std::move(key), StoreResult::Outcome::Conflict, nullptr, {}};
    if (object) {
        auto map = wire::read_traffic_map(*object);
        if (map) {
            result.map = std::make_shared<const routing::TrafficMap>(*std::move(map));
        }
    }
    co_return result;
}

net::Awaitable<StoreResult> KubeMapWriter::failed(core::ServiceKey key, kube::Failure failure) {
    // A map that is gone is as much a surprise as one that is another.
    if (failure.conflict() || failure.not_found()) {
        co_return co_await conflict(std::move(key));
    }
    co_return refused(std::move(key), failure);
}

// With a plan the service is read anew before the write (contract/trafficmap.md 9.2).
net::Awaitable<std::optional<StoreResult>> KubeMapWriter::look_for_staleness(
    const MapWrite& request) {
    const core::ServiceKey key = request.key;
    if (!request.service->status || !request.service->status->plan) {
        co_return std::nullopt;
    }
    const auto object =
        co_await sender_.get(object_path(kube::inference_services, key.ns, key.name));
    if (!object && !object.error().not_found()) {
        co_return refused(key, object.error());
    }
    std::optional<routing::InferenceService> live;
    if (object) {
        auto read = wire::read_inference_service(*object);
        if (!read) {
            co_return refused(key, read.error());
        }
        live = *std::move(read);
    }
    const auto stale = routing::stale_snapshot(*request.service, live ? &*live : nullptr);
    if (!stale) {
        co_return std::nullopt;
    }
    co_return refused(key, *stale);
}

net::Awaitable<StoreResult> KubeMapWriter::write_spec(const MapWrite& request) {
    const core::ServiceKey key = request.key;
    const bool is_new = request.precondition.uid.empty();
    kube::ApiRequest sent;
    if (is_new) {
        sent = create_request(collection_path(kube::traffic_maps, key.ns),
                              wire::routing_field_manager,
                              map_to_create(request));
    } else {
        sent = merge_request(map_path(key), wire::routing_field_manager, spec_patch(request));
    }
    const auto object = co_await sender_.send(std::move(sent));
    if (!object) {
        co_return co_await failed(key, object.error());
    }
    co_return taken(key, object);
}

net::Awaitable<StoreResult> KubeMapWriter::write_status(const MapWrite& request, Map map) {
    const core::ServiceKey key = request.key;
    const routing::TrafficMap wanted = with_status(*map, request);
    if (wanted.status == map->status) {
        co_return StoreResult{key, StoreResult::Outcome::Done, std::move(map), {}};
    }
    const wire::StatusApply apply =
        wire::routing_status_apply(wanted.meta, wanted.status.source_uid, wanted.status.conditions);
    kube::ApiRequest sent = status_request(key, apply);
    const auto object = co_await sender_.send(std::move(sent));
    if (!object) {
        co_return co_await failed(key, object.error());
    }
    co_return taken(key, object);
}

// The spec first, then what follows from it as it is stored.
net::Awaitable<StoreResult> KubeMapWriter::write(const MapWrite& request) {
    auto stale = co_await look_for_staleness(request);
    if (stale) {
        co_return *std::move(stale);
    }
    StoreResult spec = co_await write_spec(request);
    if (spec.outcome != StoreResult::Outcome::Done) {
        co_return spec;
    }
    co_return co_await write_status(request, spec.map);
}

net::Awaitable<StoreResult> KubeMapWriter::remove(const MapDelete& request) {
    const core::ServiceKey key = request.key;
    const Precondition& on = request.precondition;
    kube::ApiRequest sent = delete_request(map_path(key), on.uid, on.resource_version);
    const auto object = co_await sender_.send(std::move(sent));
    if (!object && object.error().not_found()) {
        co_return StoreResult{key, StoreResult::Outcome::Done, nullptr, {}};
    }
    if (!object) {
        co_return co_await failed(key, object.error());
    }
    // One that a finalizer holds is answered as it is now, one that is gone as it was last: only
    // the server knows which.
    const auto now = co_await sender_.get(map_path(key));
    if (!now && now.error().not_found()) {
        co_return StoreResult{key, StoreResult::Outcome::Done, nullptr, {}};
    }
    if (!now) {
        co_return refused(key, now.error());
    }
    co_return taken(key, now);
}

}  // namespace ome::controller
