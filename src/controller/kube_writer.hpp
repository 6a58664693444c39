// Carries out what was submitted, a few keys beside each other and in order for each.
#pragma once

#include "store.hpp"
#include <ome/kube/client.hpp>
#include <ome/kube/event_book.hpp>
#include <ome/net/awaitable.hpp>
#include <ome/net/task_scope.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace ome::controller {

class KubeWriter {
public:
    struct Surroundings {
        kube::Client& client;
        /// Until when a write may last; absent: we do not lead.
        std::function<std::optional<core::SteadyTime>()> leads_until;
        std::function<void(StoreResult)> result;
        std::function<void(PublicationResult)> published;
        /// The map is stored as this version.
        std::function<void(const core::ServiceKey&, const std::string&)> stored;
        /// An Event could not be written; nobody waits for it.
        std::function<void(const kube::Failure&)> event_lost;
    };

    KubeWriter(net::asio::io_context& io,
               Surroundings surroundings,
               std::string instance,
               std::size_t at_once);
    ~KubeWriter();
    KubeWriter(const KubeWriter&) = delete;
    KubeWriter& operator=(const KubeWriter&) = delete;

    void submit(std::vector<StoreRequest> requests);
    /// What has not begun yet is left undone, and no result is told of it.
    void drop();
    /// Nothing that was submitted is left to do.
    [[nodiscard]] bool idle() const;

    /// What was submitted is carried out first, for `patience` at most.
    net::Awaitable<void> stop(core::Duration patience);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
