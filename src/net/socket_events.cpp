#include "socket_events.hpp"

#include <boost/asio/post.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ome::net {

SocketEvents::SocketEvents(asio::io_context& io) : io_(io), epoll_(io) {}

SocketEvents::~SocketEvents() {
    stop();
}

boost::system::error_code SocketEvents::add(int socket, Listener& listener) {
    if (!epoll_.is_open()) {
        const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
        if (epoll < 0) {
            return {errno, boost::system::system_category()};
        }
        boost::system::error_code error;
        epoll_.assign(epoll, error);
        if (error) {
            ::close(epoll);
            return error;
        }
    }
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.ptr = &listener;
    if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, socket, &event) != 0) {
        return {errno, boost::system::system_category()};
    }
    if (!armed_) {
        arm();
    }
    return {};
}

// The kernel forgets a socket when it is closed; what it has told before must not be told any more.
void SocketEvents::remove(const Listener& listener) {
    std::for_each_n(batch_.begin(), batch_size_, [&](epoll_event& event) {
        if (event.data.ptr == &listener) {
            event.data.ptr = nullptr;
        }
    });
    std::replace_if(
        again_.begin(), again_.end(), [&](Listener* told) { return told == &listener; }, nullptr);
}

void SocketEvents::tell_again(Listener& listener) {
    again_.push_back(&listener);
    asio::post(io_, [this, alive = std::weak_ptr(alive_)] {
        if (!alive.expired()) {
            tell_next();
        }
    });
}

void SocketEvents::tell_next() {
    Listener* const listener = again_.front();
    again_.pop_front();
    if (listener != nullptr) {
        listener->on_events(EPOLLIN);
    }
}

void SocketEvents::stop() {
    boost::system::error_code ignored;
    epoll_.close(ignored);
}

void SocketEvents::arm() {
    armed_ = true;
    epoll_.async_wait(
        decltype(epoll_)::wait_read,
        [this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
            if (!error && !alive.expired()) {
                dispatch();
            }
        });
}

void SocketEvents::dispatch() {
    const int count = ::epoll_wait(epoll_.native_handle(), batch_.data(), most_at_once, 0);
    batch_size_ = count < 0 ? 0 : static_cast<std::size_t>(count);
    for (std::size_t at = 0; at < batch_size_; ++at) {
        if (auto* const listener = static_cast<Listener*>(batch_[at].data.ptr)) {
            listener->on_events(batch_[at].events);
        }
    }
    batch_size_ = 0;
    if (epoll_.is_open()) {
        arm();  // finds at once what has come meanwhile
    }
}

}  // namespace ome::net
