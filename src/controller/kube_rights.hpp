// Which rights an API server does not give to a client of ours: heard from its answers, told in the
// log, and asked for from time to time until they are there.
#pragma once

#include "missing_rights.hpp"
#include <ome/kube/client.hpp>
#include <ome/net/task_scope.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ome::controller {

/// Used on the thread of its io_context alone, where `changed` is called too.
class KubeRights {
public:
    /// `publishes`: a gateway is configured (missing_rights.hpp). `changed`: needed() may be
    /// another. `ask_again`: pause between questions.
    KubeRights(net::asio::io_context& io,
               kube::Client& client,
               bool publishes,
               std::function<void()> changed,
               core::Duration ask_again = std::chrono::seconds(5));

    /// Begins to ask, once.
    void start();
    /// An answer of the client (kube::ClientSettings::answered).
    void heard(const std::string& method,
               const std::string& target,
               unsigned status,
               const kube::Failure* refusal);
    /// What the lead lacked is not missed any more, but for the Lease itself.
    void lead_ended() { rights_.lead_ended(); }
    /// Those that are missing and needed, in order.
    [[nodiscard]] std::vector<MissingRight> needed();

    /// Afterwards nothing is asked any more; heard() may still be called.
    net::Awaitable<void> stop();

private:
    void take(const MissingRights::Change& change);
    net::Awaitable<void> ask();

    net::asio::io_context& io_;
    kube::Client& client_;
    std::function<void()> changed_;
    core::Duration ask_again_;
    MissingRights rights_;
    bool stopping_ = false;
    net::TaskScope tasks_;
};

}  // namespace ome::controller
