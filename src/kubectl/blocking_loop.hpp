// Coroutines for callers that wait for them: an io_context on the caller's own thread, with an end
// to every wait. A user who interrupts ends it, too.
#pragma once

#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>

#include <boost/asio/executor_work_guard.hpp>

#include <cstdint>
#include <functional>

namespace ome::kubectl {

class BlockingLoop {
public:
    /// Asked now and then while something is waited for.
    using Interrupted = std::function<bool()>;
    enum class End : std::uint8_t { Done, TimedOut, Interrupted };

    explicit BlockingLoop(Interrupted interrupted);

    [[nodiscard]] net::asio::io_context& io() { return io_; }

    /// Until `ready` holds; it is asked whenever something has happened. `most` zero: what can be
    /// done without waiting is done.
    End wait(const std::function<bool()>& ready, core::Duration most);

    /// Runs the task to its end. It is asked to stop when the time is over; the task tells what it
    /// has done until then by itself. Nothing of it is left afterwards.
    End run(net::Awaitable<void> task, core::Duration most);

    /// Runs a task that ends by itself soon, whatever the user does.
    void settle(net::Awaitable<void> task);

private:
    net::asio::io_context io_{1};
    net::asio::executor_work_guard<net::Executor> busy_;  // the loop never runs out of work
    Interrupted interrupted_;
};

}  // namespace ome::kubectl
