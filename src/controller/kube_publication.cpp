#include "kube_publication.hpp"

#include "kube_leftovers.hpp"
#include "kube_publication_documents.hpp"
#include <ome/wire/published_object_document.hpp>
#include <ome/wire/status_apply.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

namespace json = boost::json;

using Outcome = StoreResult::Outcome;

PublicationResult about_map(const core::ServiceKey& source, Outcome outcome) {
    PublicationResult result;
    result.source = source;
    result.outcome = outcome;
    return result;
}

PublicationResult about_object(const core::ServiceKey& source,
                               const routing::ObjectKey& key,
                               Outcome outcome) {
    PublicationResult result = about_map(source, outcome);
    result.object = key;
    return result;
}

PublicationResult because(PublicationResult result, std::string why) {
    result.problem.message = std::move(why);
    return result;
}

bool has_finalizer(const routing::TrafficMap& map) {
    const auto& all = map.meta.finalizers;
    return std::find(all.begin(), all.end(), routing::publisher_finalizer) != all.end();
}

}  // namespace

KubePublication::KubePublication(KubeSender& sender,
                                 MapStored map_stored,
                                 ObjectStored object_stored)
    : sender_(sender),
      map_stored_(std::move(map_stored)),
      object_stored_(std::move(object_stored)) {}

// The map as it is stored, where it is the one that the decision was made on.
struct KubePublication::Look {
    std::shared_ptr<const routing::TrafficMap> map;  ///< null: `result` says why
    PublicationResult result;
};

net::Awaitable<KubePublication::Look> KubePublication::look_at_map(core::ServiceKey source,
                                                                   Precondition expected,
                                                                   Map known) {
    Look look;
    // A write says on which version it was decided: whether that is the newest is the server's to
    // tell, without a look before.
    if (known != nullptr && is_current(known->meta, expected.uid, expected.resource_version)) {
        look.map = std::move(known);
        co_return look;
    }
    look.result = about_map(source, Outcome::Failed);
    const auto object = co_await sender_.get(map_path(source));
    if (!object) {
        const bool gone = object.error().not_found();
        look.result.outcome = gone ? Outcome::Conflict : Outcome::Failed;
        look.result.problem.message = gone ? std::string() : object.error().message;
        co_return look;
    }
    auto map = wire::read_traffic_map(*object);
    if (!map) {
        look.result.problem = map.error();
        co_return look;
    }
    auto stored = std::make_shared<const routing::TrafficMap>(*std::move(map));
    if (is_current(stored->meta, expected.uid, expected.resource_version)) {
        look.map = std::move(stored);
    } else {
        look.result.outcome = Outcome::Conflict;
        look.result.map = std::move(stored);
    }
    co_return look;
}

// The decision is made anew, on what is there now.
net::Awaitable<PublicationResult> KubePublication::map_failed(core::ServiceKey source,
                                                              kube::Failure failure) {
    if (!failure.conflict() && !failure.not_found()) {
        co_return because(about_map(source, Outcome::Failed), failure.message);
    }
    Look look = co_await look_at_map(source, Precondition(), nullptr);
    co_return std::move(look.result);
}

PublicationResult KubePublication::map_taken(const core::ServiceKey& source,
                                             const json::value& object) const {
    auto map = wire::read_traffic_map(object);
    if (!map) {
        return because(about_map(source, Outcome::Failed), map.error().message);
    }
    PublicationResult result = about_map(source, Outcome::Done);
    if (!is_over(map->meta)) {
        map_stored_(source, map->meta.resource_version);
        result.map = std::make_shared<const routing::TrafficMap>(*std::move(map));
    }
    return result;
}

net::Awaitable<PublicationResult> KubePublication::carry_out(const MapStatusWrite& request) {
    const core::ServiceKey source = request.source;
    Look look = co_await look_at_map(source, request.precondition, request.map);
    if (look.map == nullptr) {
        co_return std::move(look.result);
    }
    // With the journal goes all knowledge of where objects may be.
    if (const auto& journal = look.map->status.publisher; journal && !request.status.publisher) {
        const auto left = co_await leftovers(sender_, source, journal->claimed_targets);
        if (left) {
            co_return because(about_map(source, Outcome::Failed), left->message);
        }
    }
    routing::ObjectMeta meta = look.map->meta;
    const auto first = wire::publisher_status_patch(*look.map, request.status);
    if (first) {
        kube::ApiRequest sent =
            merge_request(object_path(kube::traffic_maps, source.ns, source.name, "status"),
                          wire::publisher_field_manager,
                          json::serialize(*first));
        const auto patched = co_await sender_.send(std::move(sent));
        if (!patched) {
            co_return co_await map_failed(source, patched.error());
        }
        meta.resource_version = wire::identity_of(*patched).resource_version;
    }
    kube::ApiRequest sent =
        status_request(source, wire::publisher_status_apply(meta, request.status));
    const auto applied = co_await sender_.send(std::move(sent));
    if (!applied) {
        co_return co_await map_failed(source, applied.error());
    }
    co_return map_taken(source, *applied);
}

net::Awaitable<PublicationResult> KubePublication::carry_out(const MapFinalizerWrite& request) {
    const core::ServiceKey source = request.source;
    Look look = co_await look_at_map(source, request.precondition, request.map);
    if (look.map == nullptr) {
        co_return std::move(look.result);
    }
    if (has_finalizer(*look.map) == request.held) {
        look.result.outcome = Outcome::Done;
        look.result.map = std::move(look.map);
        co_return std::move(look.result);
    }
    kube::ApiRequest sent = merge_request(map_path(source),
                                          wire::publisher_field_manager,
                                          finalizer_patch(look.map->meta, request.held));
    const auto patched = co_await sender_.send(std::move(sent));
    if (!patched) {
        co_return co_await map_failed(source, patched.error());
    }
    co_return map_taken(source, *patched);
}

net::Awaitable<PublicationResult> KubePublication::object_failed(core::ServiceKey source,
                                                                 routing::ObjectKey key,
                                                                 kube::Failure failure) {
    if (!failure.conflict()) {
        co_return because(about_object(source, key, Outcome::Failed), failure.message);
    }
    const auto object = co_await sender_.get(target_of(key));
    if (!object && object.error().not_found()) {
        co_return about_object(source, key, Outcome::Conflict);
    }
    if (!object) {
        co_return because(about_object(source, key, Outcome::Failed), object.error().message);
    }
    auto stored = read_stored(key.kind, *object);
    if (!stored) {
        co_return because(about_object(source, key, Outcome::Failed), stored.error().message);
    }
    PublicationResult result = about_object(source, key, Outcome::Conflict);
    result.stored = *std::move(stored);
    co_return result;
}

PublicationResult KubePublication::object_taken(const core::ServiceKey& source,
                                                const routing::ObjectKey& key,
                                                const json::value& object) const {
    auto stored = read_stored(key.kind, object);
    if (!stored) {
        return because(about_object(source, key, Outcome::Failed), stored.error().message);
    }
    PublicationResult result = about_object(source, key, Outcome::Done);
    object_stored_(key, (*stored)->meta.resource_version);
    result.stored = *std::move(stored);
    return result;
}

net::Awaitable<PublicationResult> KubePublication::create(const ObjectWriteRequest& request) {
    const core::ServiceKey source = request.source;
    const routing::ObjectKey key = request.write.object.key();
    kube::ApiRequest sent =
        create_request(collection_path(resource_of(key.kind), key.ns),
                       wire::publisher_field_manager,
                       json::serialize(wire::written_object(request.write.object, nullptr)));
    const auto made = co_await sender_.send(std::move(sent));
    if (!made) {
        co_return co_await object_failed(source, key, made.error());
    }
    co_return object_taken(source, key, *made);
}

// Over what is stored: a patch could not take away what somebody has added to the spec.
net::Awaitable<PublicationResult> KubePublication::replace(const ObjectWriteRequest& request) {
    const core::ServiceKey source = request.source;
    const routing::ObjectKey key = request.write.object.key();
    const auto live = co_await sender_.get(target_of(key));
    if (!live && live.error().not_found()) {
        co_return about_object(source, key, Outcome::Conflict);
    }
    if (!live) {
        co_return because(about_object(source, key, Outcome::Failed), live.error().message);
    }
    auto before = read_stored(key.kind, *live);
    if (!before) {
        co_return because(about_object(source, key, Outcome::Failed), before.error().message);
    }
    const routing::ObjectMeta& meta = (*before)->meta;
    const bool same = is_current(meta, request.write.uid, request.write.resource_version);
    if (!same || !routing::belongs_to(meta, source)) {
        PublicationResult result = about_object(source, key, Outcome::Conflict);
        result.stored = *std::move(before);
        co_return result;
    }
    kube::ApiRequest sent = replace_request(
        target_of(key),
        wire::publisher_field_manager,
        json::serialize(wire::written_object(request.write.object, live->if_object())));
    const auto answer = co_await sender_.send(std::move(sent));
    if (!answer && answer.error().not_found()) {
        co_return about_object(source, key, Outcome::Conflict);
    }
    if (!answer) {
        co_return co_await object_failed(source, key, answer.error());
    }
    co_return object_taken(source, key, *answer);
}

net::Awaitable<PublicationResult> KubePublication::carry_out(const ObjectWriteRequest& request) {
    if (request.write.uid.empty()) {
        co_return co_await create(request);
    }
    co_return co_await replace(request);
}

net::Awaitable<PublicationResult> KubePublication::carry_out(const ObjectDeleteRequest& request) {
    const core::ServiceKey source = request.source;
    const routing::ObjectDelete& remove = request.remove;
    const routing::ObjectKey key = remove.key;
    if (remove.uid.empty()) {
        co_return because(about_object(source, key, Outcome::Failed),
                          fmt::format("delete observed {} {}: UID is empty",
                                      routing::to_string(key.kind),
                                      routing::path_of(key)));
    }
    kube::ApiRequest sent = delete_request(target_of(key), remove.uid, remove.resource_version);
    const auto answer = co_await sender_.send(std::move(sent));
    if (!answer && answer.error().not_found()) {
        co_return about_object(source, key, Outcome::Done);
    }
    if (!answer) {
        co_return co_await object_failed(source, key, answer.error());
    }
    // A finalizer may hold it.
    const auto now = co_await sender_.get(target_of(key));
    if (!now && now.error().not_found()) {
        co_return about_object(source, key, Outcome::Done);
    }
    if (!now) {
        co_return because(about_object(source, key, Outcome::Failed), now.error().message);
    }
    co_return object_taken(source, key, *now);
}

}  // namespace ome::controller
