// Takes part in the election of election.hpp: reads the Lease, writes it where that is our turn,
// and says when we begin and cease to lead.
#pragma once

#include <ome/kube/client.hpp>
#include <ome/kube/election.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ome::kube {

struct ElectorStatus {
    bool leading = false;
    std::string holder;       ///< as last seen
    std::string problem;      ///< of the last request; empty: it went well
    std::uint64_t terms = 0;  ///< how often we began to lead
};

class Elector {
public:
    struct Listener {
        /// When a lead begins and ends; false once at the start when another leads.
        std::function<void(bool leading)> leading;
        std::function<void(const Failure& failure)> troubled;
        /// The Lease as it was last seen, when it has changed; null: there is none.
        std::function<void(const LeaseRecord* record)> seen = {};
    };

    /// `name`: of the Lease. The listener is called on the client's io_context.
    Elector(net::asio::io_context& io,
            Client& client,
            std::string ns,
            std::string name,
            ElectionSettings settings,
            Listener listener);
    ~Elector();  ///< must have been stopped
    Elector(const Elector&) = delete;
    Elector& operator=(const Elector&) = delete;

    void start();

    /// Gives a lead up, so that another can begin at once. Before it: whoever writes has ended.
    net::Awaitable<void> stop();

    /// Reads the clock: true is a promise that holds until leads_until().
    [[nodiscard]] bool leading() const;
    /// For deadlines of requests, on the steady clock; absent: we do not lead now.
    [[nodiscard]] std::optional<core::SteadyTime> leads_until() const;
    [[nodiscard]] const ElectorStatus& status() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::kube
