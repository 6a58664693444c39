// Owns the coroutines it starts: none outlives it, and stop() returns when all are gone. A member
// of the thing the coroutines work for, declared after what they use.
#pragma once

#include <ome/net/awaitable.hpp>

#include <cstddef>
#include <memory>

namespace ome::net {

class TaskScope {
public:
    explicit TaskScope(asio::io_context& io);
    ~TaskScope();  ///< no task may be running
    TaskScope(const TaskScope&) = delete;
    TaskScope& operator=(const TaskScope&) = delete;

    /// The task begins at the reactor's next step, not inside this call. Tasks report failures as
    /// values: an exception that escapes one is a bug and ends the process. A task that is asked to
    /// stop sees it as `operation_aborted` from what it awaits; nothing is thrown at it.
    void spawn(Awaitable<void> task);

    /// Asks every task to stop, once, and returns when the last one is gone. Awaited by the owner,
    /// from outside the scope.
    Awaitable<void> stop();

    [[nodiscard]] std::size_t size() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::net
