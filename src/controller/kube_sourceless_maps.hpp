// Maps that nothing controls and whose service was gone before we looked: no watch will tell of
// that, so the API server is asked (contract/trafficmap.md 9.1 step 1, 9.4). Such a map is left
// where a service was deleted with `--cascade=orphan` while no controller led.
#pragma once

#include "store.hpp"
#include <ome/kube/client.hpp>
#include <ome/net/task_scope.hpp>

#include <cstdint>
#include <functional>
#include <set>

namespace ome::controller {

class KubeSourcelessMaps {
public:
    struct Wiring {
        net::asio::io_context& io;
        kube::Client& client;
        std::function<bool(const core::ServiceKey&)> knows_service;  ///< by the watch
        std::function<void(const core::ServiceKey&)> gone;           ///< the API server has none
    };

    explicit KubeSourcelessMaps(Wiring wiring);

    /// What the watches tell, before and after the whole was told.
    void hear(const StoreNews& one);
    /// All lists have been told: a service that is not known may be gone.
    void listed();
    /// The lead is over; what is still asked is of no interest.
    void drop();
    /// Afterwards nothing is asked any more.
    net::Awaitable<void> stop();

private:
    void look_at(const core::ServiceKey& key);
    net::Awaitable<void> ask(core::ServiceKey key, std::uint64_t lead);

    Wiring with_;
    std::set<core::ServiceKey> without_controller_;
    std::set<core::ServiceKey> asked_;
    bool listed_ = false;
    std::uint64_t lead_ = 0;  // counts them
    net::TaskScope tasks_;
};

}  // namespace ome::controller
