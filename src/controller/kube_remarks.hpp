// What is written beside the maps: Events for people, and lapsed drains that are taken off their
// service. Nobody waits for a result.
#pragma once

#include "kube_sender.hpp"
#include "store.hpp"
#include <ome/kube/event_book.hpp>
#include <ome/net/awaitable.hpp>

#include <functional>
#include <string>

namespace ome::controller {

class KubeRemarks {
public:
    /// An Event could not be written.
    using EventLost = std::function<void(const kube::Failure&)>;

    KubeRemarks(KubeSender& sender, std::string instance, EventLost event_lost);

    /// Requests must outlive what they are given to.
    net::Awaitable<void> record(const EventRecord& event);
    net::Awaitable<void> lapse(const DrainLapse& request);

private:
    KubeSender& sender_;
    kube::EventBook events_;
    EventLost event_lost_;
};

}  // namespace ome::controller
