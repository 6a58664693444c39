// A question from one thread's io_context to another's: the work runs over there, the value comes
// back as a message, and the asking coroutine goes on where it was.
#pragma once

#include <ome/net/awaitable.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <utility>

namespace ome::observer {

/// `work` is called once, on `other`'s thread; it returns a T by value. Both contexts must run
/// until the answer is back: whoever stops them waits for the askers first.
template <typename T, typename Work>
net::Awaitable<T> ask(net::asio::io_context& other, Work work) {
    namespace asio = net::asio;
    const net::Executor home = co_await asio::this_coro::executor;
    auto initiate = [](auto handler, asio::io_context* there, net::Executor back, Work task) {
        auto question = [handler = std::move(handler), back, task = std::move(task)]() mutable {
            auto answer = [handler = std::move(handler), value = task()]() mutable {
                handler(std::move(value));
            };
            asio::post(back, std::move(answer));
        };
        asio::post(*there, std::move(question));
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<net::Executor>, void(T)>(
        std::move(initiate), asio::use_awaitable_t<net::Executor>{}, &other, home, std::move(work));
}

}  // namespace ome::observer
