// One thread and its io_context. Everything that belongs to a reactor is touched only on its
// thread; between reactors travel values, by post().
#pragma once

#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>

#include <boost/asio/post.hpp>

#include <memory>
#include <string>
#include <utility>

namespace ome::net {

class Reactor {
public:
    /// `name`: of the thread, as `top -H` shows it; cut to 15 bytes.
    explicit Reactor(std::string name);
    ~Reactor();  ///< stops and joins
    Reactor(const Reactor&) = delete;
    Reactor& operator=(const Reactor&) = delete;

    [[nodiscard]] asio::io_context& io();

    /// Starts the thread, once. What was posted before runs then.
    void start();

    /// Runs `work` on the reactor's thread, later; from any thread, in order for one caller.
    template <typename Work>
    void post(Work&& work) {
        asio::post(io(), std::forward<Work>(work));
    }

    /// The thread ends when nothing is left to do: owners stop what they own first. From any
    /// thread.
    void stop();

    /// Waits for the thread. Not from the reactor itself.
    void join();

    /// CPU time its thread has used; from any thread, and after join() too.
    [[nodiscard]] core::Duration busy() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::net
