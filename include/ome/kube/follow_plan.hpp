// What a list and watch does next: the decisions, without the requests. Pure.
//
// A list is needed at the start, when the server has forgotten where the watch was (410), when
// there was no such type of objects or we were not allowed to see it for a while (404, 403), when
// an event could not be read, and when the watch was silent for too long. A watch that breaks off
// for any other reason goes on from where it was: what happened meanwhile is told first.
#pragma once

#include <ome/core/time.hpp>
#include <ome/kube/backoff.hpp>
#include <ome/kube/failure.hpp>

#include <string>

namespace ome::kube {

class FollowPlan {
public:
    explicit FollowPlan(BackoffSettings backoff = {});

    struct Step {
        core::Duration pause{};  ///< first
        std::string watch_from;  ///< a resourceVersion; empty: list
        [[nodiscard]] bool list() const { return watch_from.empty(); }
    };
    [[nodiscard]] Step next() const;

    /// A whole list was read; `resource_version` is where it stands.
    void listed(std::string resource_version);

    /// An event or a bookmark of the watch.
    void heard(std::string resource_version);

    /// The list or the watch came to nothing, or broke off.
    void failed(const Failure& failure, double random);

    /// The watch was open and said nothing for too long. Bookmarks may be late on a busy machine:
    /// what has become of everything is looked at before that is called trouble.
    void silent();

    /// The server ended the watch properly, as it does from time to time. One that it ends at once
    /// and again is a failure like any other.
    void ended(core::Duration lasted, double random);

private:
    Backoff backoff_;
    std::string position_;
    core::Duration pause_{};
    bool heard_ = false;  // since the watch began
};

/// `timeoutSeconds` of a watch: 5 to 10 minutes, so that many of them do not end together.
[[nodiscard]] core::Duration watch_length(double random);

}  // namespace ome::kube
