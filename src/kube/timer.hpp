// The timer type of this folder, and the waits that everything here is made of.
#pragma once

#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/wait_traits.hpp>

#include <chrono>
#include <tuple>

namespace ome::kube {

using Timer = net::asio::basic_waitable_timer<std::chrono::steady_clock,
                                              net::asio::wait_traits<std::chrono::steady_clock>,
                                              net::Executor>;

/// Whether the coroutine that asks has been told to stop.
inline net::Awaitable<bool> told_to_stop() {
    const auto state = co_await net::asio::this_coro::cancellation_state;
    co_return state.cancelled() != net::asio::cancellation_type::none;
}

/// Returns early when the coroutine is told to stop.
inline net::Awaitable<void> pause(net::asio::io_context& io, core::Duration length) {
    Timer timer(io.get_executor());
    timer.expires_after(length);
    std::ignore = co_await timer.async_wait(net::as_result);
}

/// Something that coroutines of one io_context wait for together, any number of times.
class Signal {
public:
    explicit Signal(net::asio::io_context& io) : timer_(io.get_executor()) {
        // Once: another call would end the waits that are going on.
        timer_.expires_at(Timer::time_point::max());
    }

    /// Until the next tell(), or until the coroutine is told to stop.
    net::Awaitable<void> wait() { std::ignore = co_await timer_.async_wait(net::as_result); }
    void tell() { timer_.cancel(); }
    /// To the one that has waited longest.
    void tell_one() { timer_.cancel_one(); }

private:
    Timer timer_;
};

}  // namespace ome::kube
