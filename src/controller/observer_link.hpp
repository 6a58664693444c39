// The line to the observer: declares, follows the stream, and begins anew when the other side is
// gone, hangs or talks nonsense. Decides nothing: the reconciler says what to send and hears what
// comes back.
//
// One connection carries declarations, one after the other; another the watch. Both end together:
// what was declared before a break is not known to be in force, so the whole set is declared again.
//
// It speaks while the reconciler knows everything, which is while we lead.
#pragma once

#include "reconciler.hpp"
#include <ome/net/awaitable.hpp>
#include <ome/net/local_client.hpp>
#include <ome/net/task_scope.hpp>
#include <ome/net/trust.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ome::controller {

struct LinkSettings {
    net::LocalUrl url;
    std::shared_ptr<const net::Trust> trust;  ///< of an https URL
    std::string holder;                       ///< who keeps the declarations alive
    bool inherited = false;  ///< the observer may hold what was declared before, by this process
    core::Duration first_pause = std::chrono::milliseconds(100);  ///< between attempts; doubles
    core::Duration longest_pause = std::chrono::seconds(5);
    /// For each step of a call, and between two lines of the watch: bookmarks come every second.
    core::Duration patience = std::chrono::seconds(5);
};

struct LinkStatus {
    bool connected = false;  ///< everything is declared and the stream is open
    std::string instance;    ///< of the observer; empty: none yet
    std::string problem;     ///< the last one; empty while connected
    std::uint64_t syncs = 0;
    std::uint64_t breaks = 0;
    std::uint64_t declarations = 0;
    std::uint64_t lines = 0;
};

class ObserverLink {
public:
    using Clock = std::function<core::Now()>;

    /// `changed`: the reconciler has heard something. All are used until stop() has returned.
    ObserverLink(net::asio::io_context& io,
                 LinkSettings settings,
                 Reconciler& reconciler,
                 Clock clock,
                 std::function<void()> changed);
    ~ObserverLink();
    ObserverLink(const ObserverLink&) = delete;
    ObserverLink& operator=(const ObserverLink&) = delete;

    /// The counters of one before this one. Before start().
    void count_on(const LinkStatus& before);
    void start();
    /// There may be something to declare.
    void wake();
    /// A lead has ended, and the reconciler starts over: nothing is said and heard for it any more,
    /// and the observer is asked to forget what was declared.
    void let_go();
    net::Awaitable<void> stop();

    [[nodiscard]] const LinkStatus& status() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
