// Tells the sockets of one client when they can be read or written: an epoll of their own inside
// the reactor's. Each socket is registered once for its whole life, edge-triggered.
//
// Asio's own sockets try each receive before they wait for it: three recv calls for a kept-alive
// poll, of which two find nothing (strace -c). With this it is one; and with one coroutine for a
// fetch a poll takes 17,300 in place of 25,700 instructions, from due to published.
#pragma once

#include <ome/net/awaitable.hpp>

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/system/error_code.hpp>
#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace ome::net {

class SocketEvents {
public:
    class Listener {
    public:
        /// `events`: EPOLLIN and so on, each told when it begins. May remove any listener.
        virtual void on_events(std::uint32_t events) = 0;

    protected:
        ~Listener() = default;
    };

    explicit SocketEvents(asio::io_context& io);
    ~SocketEvents();
    SocketEvents(const SocketEvents&) = delete;
    SocketEvents& operator=(const SocketEvents&) = delete;

    [[nodiscard]] asio::io_context& io() { return io_; }

    /// `listener` must be removed before the socket is closed.
    [[nodiscard]] boost::system::error_code add(int socket, Listener& listener);
    void remove(const Listener& listener);

    /// Tells it EPOLLIN once more, when others have had their turn.
    void tell_again(Listener& listener);

    /// The reactor is not kept waiting any more; nobody may be added afterwards.
    void stop();

private:
    // What is handled before the reactor's timers and messages have their turn.
    static constexpr std::size_t most_at_once = 64;

    void arm();
    void dispatch();
    void tell_next();

    asio::io_context& io_;
    asio::posix::basic_stream_descriptor<Executor> epoll_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    std::array<epoll_event, most_at_once> batch_{};
    std::size_t batch_size_ = 0;
    std::deque<Listener*> again_;  // null: removed
    bool armed_ = false;
};

}  // namespace ome::net
