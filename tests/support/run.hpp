// Runs a coroutine to its end on an io_context of the test's own thread.
#pragma once

#include <ome/net/awaitable.hpp>

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace ome::test {

/// The loop goes on for what the coroutine left behind, so a leaked task hangs the test.
template <typename T>
T run(net::asio::io_context& io, net::Awaitable<T> task) {
    std::optional<T> result;
    net::asio::co_spawn(io, std::move(task), [&](std::exception_ptr bug, T value) {
        if (bug) {
            std::rethrow_exception(bug);
        }
        result = std::move(value);
    });
    io.restart();
    while (!result && io.run_one() != 0) {
    }
    return std::move(result).value();
}

inline void run(net::asio::io_context& io, net::Awaitable<void> task) {
    bool done = false;
    net::asio::co_spawn(io, std::move(task), [&](std::exception_ptr bug) {
        if (bug) {
            std::rethrow_exception(bug);
        }
        done = true;
    });
    io.restart();
    while (!done && io.run_one() != 0) {
    }
}

}  // namespace ome::test
