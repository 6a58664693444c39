// The objects of one type of an API server as they change: a list and a watch that goes on through
// whatever ends it, as kube/follower.hpp does it. Rights to `get` and `list` suffice, which is what
// OME's reader role gives (contract/publisher-cli.md 2.3): where watching is forbidden, it lists
// again every two seconds.
#pragma once

#include "blocking_loop.hpp"
#include "cluster.hpp"
#include "kube_failure.hpp"
#include "object_mirror.hpp"
#include <ome/kube/client.hpp>
#include <ome/kube/follower.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace ome::kubectl {

/// Must not outlive the loop, the client and the cluster, which is the one they are of.
class KubeWatch final : public Watch {
public:
    struct Of {
        Kind kind = Kind::TrafficMap;
        std::string ns = {};  ///< empty: all namespaces
    };

    KubeWatch(BlockingLoop& loop, kube::Client& client, Cluster& cluster, Of of);
    ~KubeWatch() override;
    KubeWatch(const KubeWatch&) = delete;
    KubeWatch& operator=(const KubeWatch&) = delete;

    /// Until everything that is there is known. Absent: it is.
    [[nodiscard]] std::optional<ClusterError> start(core::Duration request_time);

    /// An API server that is away is waited for, a minute long.
    [[nodiscard]] Answer<std::vector<Change>> next(core::Duration most) override;

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] kube::FollowListener listener();
    void take_trouble(const kube::Failure& failure);
    [[nodiscard]] bool lost();
    [[nodiscard]] bool is_beyond_endurance(const ClusterError& error);
    [[nodiscard]] Answer<std::vector<Change>> list_again(core::Duration most);

    BlockingLoop& loop_;
    Cluster& cluster_;
    Of of_;
    Asked asked_;
    ObjectMirror mirror_;
    core::Duration request_time_{};
    std::optional<ClusterError> error_;  // the last one, since a watch was open
    std::optional<Clock::time_point> troubled_since_;
    bool may_not_watch_ = false;
    bool lists_again_ = false;
    Clock::time_point next_list_;
    kube::Follower follower_;  // last: it calls what is above
};

}  // namespace ome::kubectl
