// The services and maps of an API server, followed: one collection for each kind and namespace, as
// news, and what is known of them. A map that we write is told by the result of the write, and not
// by what the watch had to say before it (kube_mirror.hpp).
#pragma once

#include "kube_mirror.hpp"
#include "store.hpp"
#include <ome/kube/client.hpp>
#include <ome/net/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ome::controller {

/// Used on the thread of its io_context alone, where the listener is called too.
class KubeFollowing {
public:
    struct Listener {
        std::function<void(StoreNews)> news;
        /// whole() may have become true.
        std::function<void()> listed;
        /// troubles() are others.
        std::function<void()> trouble_changed;
        /// Something failed, and is tried again; told each time, but for a right that is missing.
        std::function<void(const std::string& problem)> troubled;
    };

    /// `selector`: of services, by label; empty: all.
    KubeFollowing(net::asio::io_context& io,
                  kube::Client& client,
                  std::string selector,
                  Listener listener);
    ~KubeFollowing();  ///< must have been stopped
    KubeFollowing(const KubeFollowing&) = delete;
    KubeFollowing& operator=(const KubeFollowing&) = delete;

    /// Begins, once until it is stopped. Empty text: all namespaces.
    void follow(const std::vector<std::string>& namespaces);
    /// All collections have been listed.
    [[nodiscard]] bool whole() const;
    /// Why some of them could not be listed yet, or cannot any more.
    [[nodiscard]] std::vector<StoreTrouble> troubles() const;
    [[nodiscard]] bool knows_service(const core::ServiceKey& key) const;

    /// A map was stored by us as this version: older ones are history.
    void map_stored(const core::ServiceKey& key, const std::string& resource_version);
    /// Whether a map is being written by us: what the watch tells of it may be half of the write,
    /// and is told afterwards.
    void map_is_written(const core::ServiceKey& key, bool now);

    /// Forgets everything, and tells nothing of that; it may begin again.
    net::Awaitable<void> stop();

private:
    struct Followed;
    void follow(KubeMirror::Of what, const std::string& ns);
    void note_trouble(Followed& one, std::string problem);
    [[nodiscard]] KubeMirror* mirror_of(KubeMirror::Of what, const std::string& ns) const;

    net::asio::io_context& io_;
    kube::Client& client_;
    std::string selector_;
    Listener listener_;
    std::vector<std::unique_ptr<Followed>> followed_;
};

}  // namespace ome::controller
