// Where a server listens, and what becomes of a connection before its first byte.
#include "server.hpp"
#include "sockets.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

namespace ome::homesim {

std::optional<core::Problem> Server::open_listener(std::uint16_t port, Listener listener) {
    const core::Result<int> opened = settings_.by_address && !listener.control
                                         ? listen_on_loopback(port)
                                         : listen_on(settings_.address, port);
    if (!opened) {
        return opened.error();
    }
    listener.fd = *opened;
    listeners_.push_back(listener);
    epoll_event event{.events = EPOLLIN, .data = {.fd = listener.fd}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, listener.fd, &event);
    if (listener.control) {
        control_port_ = port_of(listener.fd);
    } else {
        (listener.tls ? tls_ports_ : home_ports_).push_back(port_of(listener.fd));
    }
    return std::nullopt;
}

std::optional<core::Problem> Server::open_tls() {
    if (!settings_.tls_port) {
        return std::nullopt;
    }
    core::Result<TlsContexts> made = make_tls_contexts();
    if (!made) {
        return made.error();
    }
    tls_ = std::move(*made);
    for (std::size_t i = 0; i < tls_variants.size(); ++i) {
        const std::size_t port = *settings_.tls_port == 0 ? 0 : *settings_.tls_port + i;
        if (auto problem = open_listener(static_cast<std::uint16_t>(port), {.tls = i})) {
            return problem;
        }
    }
    return std::nullopt;
}

std::optional<core::Problem> Server::open_full() {
    if (!settings_.full_port) {
        return std::nullopt;
    }
    core::Result<std::vector<int>> opened = open_full_port(settings_.address, *settings_.full_port);
    if (!opened) {
        return opened.error();
    }
    full_ = std::move(*opened);
    full_port_ = port_of(full_.front());
    return std::nullopt;
}

void Server::accept_all(const Listener& listener) {
    while (true) {
        const int fd = accept4(listener.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            adopt(fd, listener);
        } else if (errno == EMFILE || errno == ENFILE) {
            return pause_listeners(true);
        } else if (errno != ECONNABORTED && errno != EINTR) {
            return;
        }
    }
}

/// Without a free descriptor a listener would be ready for ever; the next departure wakes it.
void Server::pause_listeners(bool pause) {
    if (pause == listeners_paused_) {
        return;
    }
    listeners_paused_ = pause;
    for (const Listener& listener : listeners_) {
        epoll_event event{.events = pause ? 0U : EPOLLIN, .data = {.fd = listener.fd}};
        epoll_ctl(epoll_, EPOLL_CTL_MOD, listener.fd, &event);
    }
}

/// What is decided before a byte is read: by the port, or by the home where the address tells it.
void Server::choose_manner(Connection& connection, const Listener& listener) {
    if (settings_.by_address && !listener.control) {
        const std::optional<std::size_t> index = address_index(connection.fd);
        connection.owner = index ? fleet_.at(*index) : nullptr;
    }
    Accept accept = Accept::Serve;
    if (connection.owner != nullptr) {
        ++connection.owner->connections;
        accept = connection.owner->accept;
    }
    const Tls tls = listener.tls ? tls_variants[*listener.tls].tls : Tls::Good;
    connection.deaf = accept == Accept::Stall || tls == Tls::Stalled;
    connection.resets_on_data = tls == Tls::Reset;
    connection.phase = connection.deaf ? Phase::Stalled : Phase::Reading;
    if (listener.tls && tls_.contexts[*listener.tls]) {
        connection.tls.reset(SSL_new(tls_.contexts[*listener.tls].get()));
        SSL_set_fd(connection.tls.get(), connection.fd);
        SSL_set_accept_state(connection.tls.get());
    }
    connection.cut = accept == Accept::Reset   ? std::optional(Ending::Reset)
                     : accept == Accept::Close ? std::optional(Ending::Close)
                                               : std::nullopt;
}

void Server::adopt(int fd, const Listener& listener) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto index = static_cast<std::size_t>(fd);
    if (connections_.size() <= index) {
        connections_.resize(index + 1);
    }
    auto connection = std::make_unique<Connection>();
    connection->fd = fd;
    connection->control = listener.control;
    connection->serial = next_serial_++;
    choose_manner(*connection, listener);
    connections_[index] = std::move(connection);
    Connection& adopted = *connections_[index];
    if (!listener.control) {
        ++counters_.accepted;
        counters_.open_connections.up();
    }
    if (adopted.cut) {
        return drop(adopted, *adopted.cut == Ending::Reset);
    }
    epoll_event event{.events = EPOLLRDHUP | (adopted.deaf ? 0U : EPOLLIN), .data = {.fd = fd}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    if (!listener.control) {
        accepted_.push_back(fd);
    }
}

}  // namespace ome::homesim
