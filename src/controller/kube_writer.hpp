// Carries out what was submitted, a few keys beside each other and in order for each. What is sent
// is in kube_map_writer.hpp, kube_publication.hpp and kube_remarks.hpp.
#pragma once

#include "kube_publication.hpp"
#include "store.hpp"
#include <ome/kube/client.hpp>
#include <ome/net/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
        MapStored stored;
        ObjectStored object_stored;
        /// Whether the map is being written: what a watch tells of it may be half of the write.
        std::function<void(const core::ServiceKey&, bool)> map_is_written;
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

    /// Anything but an AddressQuery, which writes nothing.
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
