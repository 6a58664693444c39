// The objects of the kinds that the publisher writes, followed on an API server: those that are
// ours or may be in our way. All HTTPRoutes, since any of them may have a hostname of ours already;
// of the other kinds those with our label.
//
// An object in our way that has not our label is seen when a write fails for it. From then on it is
// looked at from time to time, until it is gone or has become ours.
#pragma once

#include "store.hpp"
#include <ome/kube/client.hpp>
#include <ome/net/awaitable.hpp>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ome::controller {

class KubeObjects {
public:
    struct Listener {
        std::function<void(StoreNews)> news;
        /// settled() may have become true.
        std::function<void()> listed;
        /// Trouble that is not that of a kind alone.
        std::function<void(const kube::Failure&)> troubled;
        /// troubles() are others.
        std::function<void()> trouble_changed = [] {};
    };

    /// `needed`: kinds without which nothing is published; empty: nothing is to be. `look_again`:
    /// pause between looks at what is in our way.
    KubeObjects(net::asio::io_context& io,
                kube::Client& client,
                Listener listener,
                std::set<routing::ObjectKind> needed = {},
                core::Duration look_again = std::chrono::seconds(10));
    ~KubeObjects();  ///< must have been stopped
    KubeObjects(const KubeObjects&) = delete;
    KubeObjects& operator=(const KubeObjects&) = delete;

    /// Begins, once until it is stopped. Empty text: all namespaces. `of_routes`: those whose
    /// HTTPRoutes are followed.
    void follow(const std::vector<std::string>& namespaces,
                const std::vector<std::string>& of_routes);
    /// Of each kind there was a whole list, or it is told that it cannot be read.
    [[nodiscard]] bool settled() const;
    /// Of the kinds that are needed those that the API server does not have.
    [[nodiscard]] std::vector<StoreTrouble> troubles() const;

    /// Something of ours was stored as this version: older ones are history.
    void stored(const routing::ObjectKey& key, const std::string& resource_version);
    /// What became of a write: something may be in our way. Only while it follows.
    void look_at(const PublicationResult& result);

    /// Forgets everything; it may begin again.
    net::Awaitable<void> stop();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
