#include "blocking_loop.hpp"

#include <ome/core/deadline.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace ome::kubectl {
namespace {

namespace asio = net::asio;

using Clock = std::chrono::steady_clock;

// A signal need not come to the thread that waits.
constexpr core::Duration look_for_interrupts = std::chrono::milliseconds(100);
// Of what is ready when no time is left: a stream may always be.
constexpr int most_without_time = 100;
constexpr core::Duration ask_again_to_stop = std::chrono::milliseconds(10);

// Cancellation is a value in the task and in all that it awaits.
net::Awaitable<void> without_throwing(net::Awaitable<void> task) {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await std::move(task);
}

}  // namespace

BlockingLoop::BlockingLoop(Interrupted interrupted)
    : busy_(io_.get_executor()), interrupted_(std::move(interrupted)) {}

BlockingLoop::End BlockingLoop::wait(const std::function<bool()>& ready, core::Duration most) {
    const Clock::time_point give_up = core::later(Clock::now(), most);
    while (!ready()) {
        if (interrupted_ && interrupted_()) {
            return End::Interrupted;
        }
        const core::Duration left = give_up - Clock::now();
        if (left <= core::Duration::zero()) {
            for (int i = 0; i < most_without_time && !ready() && io_.poll_one() > 0; ++i) {
            }
            return ready() ? End::Done : End::TimedOut;
        }
        io_.run_one_for(std::min(left, look_for_interrupts));
    }
    return End::Done;
}

BlockingLoop::End BlockingLoop::run(net::Awaitable<void> task, core::Duration most) {
    asio::cancellation_signal stop;
    bool done = false;
    auto on_done = [&done](const std::exception_ptr& bug) {
        if (bug) {
            std::rethrow_exception(bug);
        }
        done = true;
    };
    asio::co_spawn(io_,
                   without_throwing(std::move(task)),
                   asio::bind_cancellation_slot(stop.slot(), std::move(on_done)));
    const End end = wait([&done] { return done; }, most);
    // Again and again: a lookup of a name does not hear it, what comes after the lookup does. From
    // within the loop, where asio carries it out at once: what it keeps for later would find `stop`
    // gone.
    while (!done) {
        bool asked = false;
        asio::post(io_, [&] {
            asked = true;
            if (!done) {
                stop.emit(asio::cancellation_type::terminal);
            }
        });
        while (!asked) {
            io_.run_one();
        }
        const Clock::time_point again = core::later(Clock::now(), ask_again_to_stop);
        while (!done && Clock::now() < again) {
            io_.run_one_until(again);
        }
    }
    return end;
}

void BlockingLoop::settle(net::Awaitable<void> task) {
    bool done = false;
    asio::co_spawn(io_, std::move(task), [&done](const std::exception_ptr& bug) {
        if (bug) {
            std::rethrow_exception(bug);
        }
        done = true;
    });
    while (!done) {
        io_.run_one();
    }
}

}  // namespace ome::kubectl
