// The one coroutine type of this project: bound to io_context's own executor, since the type-erased
// default costs as much per step as the work it carries.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace ome::net {

namespace asio = boost::asio;

using Executor = asio::io_context::executor_type;

template <typename T>
using Awaitable = asio::awaitable<T, Executor>;

/// Completion token: `auto [ec, n] = co_await socket.async_read_some(buffer, as_result);`
inline constexpr auto as_result = asio::as_tuple(asio::use_awaitable_t<Executor>{});

}  // namespace ome::net
