#include "timer.hpp"
#include <ome/net/task_scope.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <cassert>
#include <exception>
#include <list>

namespace ome::net {
namespace {

// Cancellation is a value here, in the task and in all that it awaits.
Awaitable<void> without_throwing(Awaitable<void> task) {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await std::move(task);
}

}  // namespace

struct TaskScope::State {
    using Running = std::list<asio::cancellation_signal>;

    explicit State(asio::io_context& context) : io(context), changed(context) {}

    void done(Running::iterator task, const std::exception_ptr& bug) {
        if (bug) {
            std::terminate();
        }
        running.erase(task);
        changed.cancel();
    }

    asio::io_context& io;
    Timer changed;  // never expires; cancelled to wake stop()
    Running running;
};

TaskScope::TaskScope(asio::io_context& io) : state_(std::make_unique<State>(io)) {}

TaskScope::~TaskScope() {
    assert(state_->running.empty());
}

void TaskScope::spawn(Awaitable<void> task) {
    State& state = *state_;
    const auto self = state.running.emplace(state.running.end());
    auto on_done = [&state, self](const std::exception_ptr& bug) { state.done(self, bug); };
    asio::co_spawn(state.io,
                   without_throwing(std::move(task)),
                   asio::bind_cancellation_slot(self->slot(), std::move(on_done)));
}

Awaitable<void> TaskScope::stop() {
    for (asio::cancellation_signal& task : state_->running) {
        task.emit(asio::cancellation_type::terminal);
    }
    while (!state_->running.empty()) {
        state_->changed.expires_at(Timer::time_point::max());
        std::ignore = co_await state_->changed.async_wait(as_result);
    }
}

std::size_t TaskScope::size() const {
    return state_->running.size();
}

}  // namespace ome::net
