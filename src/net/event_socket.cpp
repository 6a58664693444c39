#include "event_socket.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <utility>

namespace ome::net {
namespace {

using boost::system::error_code;

error_code last_error() {
    return {errno, boost::system::system_category()};
}

Awaitable<bool> broken_off() {
    co_return false;
}

/// Calls recv or send until no signal disturbs it.
template <typename Call>
Moved move(Call call) {
    ssize_t result = call();
    while (result < 0 && errno == EINTR) {
        result = call();
    }
    Moved done;
    if (result >= 0) {
        done.bytes = static_cast<std::size_t>(result);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        done.blocked = true;
    } else {
        done.error = last_error();
    }
    return done;
}

}  // namespace

EventSocket::EventSocket(SocketEvents& events, Use use) : events_(events), use_(use) {}

EventSocket::~EventSocket() {
    close();
}

error_code EventSocket::connect(const Endpoint& to) {
    const int family = to.protocol().family();
    socket_ = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (socket_ < 0) {
        return last_error();
    }
    const int value = use_ == Use::One ? 0 : 1;
    const int option = use_ == Use::One ? TCP_QUICKACK : TCP_NODELAY;
    ::setsockopt(socket_, IPPROTO_TCP, option, &value, sizeof value);
    if (::connect(socket_, to.data(), static_cast<socklen_t>(to.size())) != 0 &&
        errno != EINPROGRESS) {
        const error_code error = last_error();
        close();
        return error;
    }
    writable_ = false;
    return adopt(std::exchange(socket_, -1));
}

error_code EventSocket::adopt(int socket) {
    socket_ = socket;
    const error_code error = events_.add(socket, *this);
    if (error) {
        close();
    }
    return error;
}

error_code EventSocket::connect_error() const {
    int number = 0;
    socklen_t size = sizeof number;
    if (failed_ && ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &number, &size) != 0) {
        return last_error();
    }
    return {number, boost::system::system_category()};
}

Moved EventSocket::receive(char* into, std::size_t size) {
    Moved done;
    done.blocked = !readable_ || turn_bytes_ >= most_bytes_a_turn;
    if (!done.blocked) {
        done = move([&] { return ::recv(socket_, into, size, 0); });
        // Less than there was room for is all that had come (epoll(7)).
        readable_ = !done.blocked && (ended_ || done.bytes == size);
        turn_bytes_ += done.bytes;
        if (!done.blocked && !done.error && done.bytes == 0) {
            done.error = asio::error::eof;
        }
    }
    return done;
}

Moved EventSocket::send(std::string_view bytes) {
    const Moved done =
        move([&] { return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    writable_ = !done.blocked;
    return done;
}

bool EventSocket::has_news() {
    char byte = 0;
    readable_ = readable_ && !move([&] { return ::recv(socket_, &byte, 1, MSG_PEEK); }).blocked;
    return readable_;
}

Awaitable<bool> EventSocket::wait(Wanted what, Operation& operation) {
    const bool is_next_turn = what == Wanted::Read && readable_;
    const bool over = is_next_turn ? operation.ended() != Ended::Running : operation.over();
    if (over || !is_open()) {
        return broken_off();
    }
    return asio::async_initiate<const asio::use_awaitable_t<Executor>, void(bool)>(
        [this, what, &operation](Handler handler) {
            begin_wait(std::move(handler), what, operation);
        },
        asio::use_awaitable_t<Executor>{});
}

void EventSocket::begin_wait(Handler&& handler, Wanted what, Operation& operation) {
    assert(!waiting_);
    if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected()) {
        slot.assign([this](asio::cancellation_type) { cancel(); });
    }
    waiting_.emplace(std::move(handler), *this, what, operation);
    if (what == Wanted::Read && readable_) {
        events_.tell_again(*this);
    }
}

EventSocket::Handler EventSocket::end_wait() {
    asio::get_associated_cancellation_slot(waiting_->handler).clear();
    Handler handler = std::move(waiting_->handler);
    waiting_.reset();
    return handler;
}

void EventSocket::cancel() {
    if (waiting_) {
        asio::post(events_.io(), [handler = end_wait()]() mutable { std::move(handler)(false); });
    }
}

void EventSocket::on_events(std::uint32_t events) {
    turn_bytes_ = 0;
    failed_ = failed_ || (events & (EPOLLERR | EPOLLHUP)) != 0;
    ended_ = ended_ || failed_ || (events & EPOLLRDHUP) != 0;
    readable_ = readable_ || ended_ || (events & EPOLLIN) != 0;
    writable_ = writable_ || failed_ || (events & EPOLLOUT) != 0;
    if (waiting_) {
        if (waiting_->what == Wanted::Read ? readable_ : writable_) {
            Handler handler = end_wait();
            std::move(handler)(true);
        }
    } else if (watcher_ != nullptr && readable_) {
        watcher_->on_stir();
    }
}

// With prompt acknowledgements left out as well, a probe costs 1.05 of a request of wrk's, and 1.39
// without either (row 2 of tools/loadtest).
void EventSocket::close_at_once() {
    const linger none{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close();
}

void EventSocket::close() {
    if (socket_ >= 0) {
        cancel();
        events_.remove(*this);
        ::close(std::exchange(socket_, -1));
    }
}

}  // namespace ome::net
