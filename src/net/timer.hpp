// The one timer type of this folder: concrete executor, like everything here.
#pragma once

#include <ome/net/awaitable.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/wait_traits.hpp>

#include <chrono>

namespace ome::net {

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         Executor>;

}  // namespace ome::net
