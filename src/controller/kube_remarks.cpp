#include "kube_remarks.hpp"

#include "kube_documents.hpp"
#include <ome/net/clock.hpp>
#include <ome/wire/status_apply.hpp>

#include <utility>

namespace ome::controller {

KubeRemarks::KubeRemarks(KubeSender& sender, std::string instance, EventLost event_lost)
    : sender_(sender),
      events_({.component = "ome-trafficmap", .instance = std::move(instance)}),
      event_lost_(std::move(event_lost)) {}

namespace {

kube::EventNote note_of(const EventRecord& event) {
    kube::EventNote note{kube::inference_services,
                         event.key.ns,
                         event.key.name,
                         event.service_uid,
                         event.warning,
                         event.reason,
                         event.message};
    if (!event.map_uid.empty()) {
        note.about = kube::traffic_maps;
        note.uid = event.map_uid;
    } else if (!event.config_map_uid.empty()) {
        note.about = kube::config_maps;
        note.uid = event.config_map_uid;
    }
    return note;
}

}  // namespace

net::Awaitable<void> KubeRemarks::record(const EventRecord& event) {
    const kube::EventNote note = note_of(event);
    const auto write = events_.admit(note, net::read_clock());
    if (!write) {
        co_return;
    }
    kube::ApiRequest sent;
    if (write->create) {
        sent = create_request(collection_path(kube::events, write->ns), "", write->body);
    } else {
        sent = merge_request(object_path(kube::events, write->ns, write->name), "", write->body);
    }
    const auto object = co_await sender_.send(std::move(sent));
    if (!object && !object.error().already_exists()) {
        events_.lost(note);
        event_lost_(object.error());
    }
}

// One that somebody else's write came before is decided anew, like one that failed.
net::Awaitable<void> KubeRemarks::lapse(const DrainLapse& request) {
    kube::ApiRequest sent =
        json_patch_request(object_path(kube::inference_services, request.key.ns, request.key.name),
                           wire::routing_field_manager,
                           lapse_patch(request));
    const auto object = co_await sender_.send(std::move(sent));
    if (!object) {
        if (!object.error().conflict() && !object.error().invalid()) {
            event_lost_(object.error());
        }
        co_return;
    }
    for (const EventRecord& event : request.events) {
        co_await record(event);
    }
}

}  // namespace ome::controller
