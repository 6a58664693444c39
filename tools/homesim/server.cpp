#include "server.hpp"

#include "sockets.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace ome::homesim {
namespace {

// An event array of the size of the descriptor limit: a turn then sees every departure that
// happened before any request it sees.
std::size_t descriptor_limit() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return std::clamp<std::size_t>(limit.rlim_cur, 1024, std::size_t{1} << 20);
}

bool departed(const epoll_event& event) {
    return (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}

Left how_left(const epoll_event& event) {
    return (event.events & (EPOLLERR | EPOLLHUP)) != 0 ? Left::Reset : Left::Closed;
}

}  // namespace

Server::Server(Fleet& fleet, ServerSettings settings)
    : fleet_(fleet), settings_(std::move(settings)), random_(settings_.seed) {
    read_clocks();
    started_ = steady_;
}

Server::~Server() {
    for (const std::unique_ptr<Connection>& connection : connections_) {
        if (connection) {
            close(connection->fd);
        }
    }
    for (const Listener& listener : listeners_) {
        close(listener.fd);
    }
    for (const int fd : full_) {
        close(fd);
    }
    close(stop_event_);
    close(epoll_);
}

core::Result<std::unique_ptr<Server>> Server::create(Fleet& fleet, ServerSettings settings) {
    std::unique_ptr<Server> server(new Server(fleet, std::move(settings)));
    if (std::optional<core::Problem> problem = server->open()) {
        return *problem;
    }
    return server;
}

std::optional<core::Problem> Server::open() {
    events_.resize(descriptor_limit());
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (epoll_ < 0 || stop_event_ < 0) {
        return core::Problem{"no descriptor is left for epoll", ""};
    }
    epoll_event event{.events = EPOLLIN, .data = {.fd = stop_event_}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, stop_event_, &event);
    for (unsigned i = 0; i < settings_.ports; ++i) {
        const unsigned port = settings_.port == 0 ? 0 : settings_.port + i;
        if (auto problem = open_listener(static_cast<std::uint16_t>(port), {})) {
            return problem;
        }
    }
    for (auto step : {&Server::open_tls, &Server::open_full}) {
        if (auto problem = (this->*step)()) {
            return problem;
        }
    }
    return open_listener(settings_.control_port, {.control = true});
}

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

void Server::run() {
    while (!stopped_) {
        turn();
    }
}

void Server::stop() const {
    const std::uint64_t one = 1;
    (void)!write(stop_event_, &one, sizeof one);
}

void Server::read_clocks() {
    timespec wall{};
    clock_gettime(CLOCK_REALTIME, &wall);
    wall_ = {wall.tv_sec, static_cast<std::int32_t>(wall.tv_nsec)};
    steady_ = std::chrono::steady_clock::now();
}

int Server::wait_milliseconds() const {
    std::optional<core::SteadyTime> next;
    if (!timers_.empty()) {
        next = timers_.top().due;
    }
    if (next_cue_ < settings_.script.size()) {
        const core::SteadyTime cue = started_ + settings_.script[next_cue_].at;
        next = next ? std::min(*next, cue) : cue;
    }
    if (!accepted_.empty()) {
        return 0;
    }
    if (!next) {
        return -1;
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*next - steady_);
    return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, 60'000));
}

void Server::turn() {
    const int count =
        epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), wait_milliseconds());
    read_clocks();
    take_off_departed(count);
    count_accepted();
    run_script();
    run_timers();
    serve(count);
    accept_new(count);
}

Connection* Server::at(int fd) {
    const auto index = static_cast<std::size_t>(fd);
    return index < connections_.size() ? connections_[index].get() : nullptr;
}

void Server::take_off_departed(int count) {
    // Those with a request in flight first: a home must not seem to have two because the request
    // that was given up and the one after it left in the same turn.
    for (const bool served : {true, false}) {
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = events_[static_cast<std::size_t>(i)];
            Connection* connection = departed(event) ? at(event.data.fd) : nullptr;
            if (connection != nullptr && (connection->home != nullptr) == served) {
                depart(*connection, how_left(event));
            }
        }
    }
}

void Server::depart(Connection& connection, Left how) {
    if (connection.home != nullptr) {
        fleet_.leave(*connection.home, connection.kind, how);
    } else if (!connection.control && !connection.deaf) {
        count_unserved(connection, how);
    }
    drop(connection, false);
}

/// A request that came and was given up within one turn: counted where it belongs, without having
/// been in flight with anything that we saw.
void Server::count_unserved(Connection& connection, Left how) {
    Request request;
    std::string_view rest;
    (void)receive(connection);
    if (parse_request(connection.in, request) != Parse::Complete) {
        return;
    }
    if (Home* home = home_of(connection, request.path, rest)) {
        const core::Kind kind = rest == settings_.poll_path ? core::Kind::Poll : core::Kind::Probe;
        (void)fleet_.begin(*home, kind, connection.fresh, steady_);
        fleet_.leave(*home, kind, how);
    }
}

void Server::count_accepted() {
    for (const int fd : accepted_) {
        if (Connection* connection = at(fd)) {
            count_in(*connection);
        }
    }
    accepted_.clear();
}

void Server::run_script() {
    const std::vector<Cue>& script = settings_.script;
    while (next_cue_ < script.size() && started_ + script[next_cue_].at <= steady_) {
        const Cue& cue = script[next_cue_++];
        (void)fleet_.apply(cue.selection, cue.change, steady_);
    }
}

void Server::run_timers() {
    while (!timers_.empty() && timers_.top().due <= steady_) {
        const Timer timer = timers_.top();
        timers_.pop();
        Connection* connection = at(timer.fd);
        if (connection == nullptr || connection->serial != timer.serial) {
            continue;
        }
        if (connection->phase == Phase::Waiting) {
            perform(*connection);
        } else {
            pump(*connection);
        }
        begin_requests(timer.fd);
    }
}

void Server::serve(int count) {
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events_[static_cast<std::size_t>(i)];
        stopped_ = stopped_ || event.data.fd == stop_event_;
        if (Connection* connection = at(event.data.fd); connection && (event.events & EPOLLOUT)) {
            pump(*connection);
            begin_requests(event.data.fd);
        }
        if (Connection* connection = at(event.data.fd); connection && (event.events & EPOLLIN)) {
            read(*connection);
        }
    }
}

void Server::accept_new(int count) {
    for (int i = 0; i < count; ++i) {
        const int fd = events_[static_cast<std::size_t>(i)].data.fd;
        const auto listener = std::find_if(listeners_.begin(),
                                           listeners_.end(),
                                           [fd](const Listener& one) { return one.fd == fd; });
        if (listener != listeners_.end()) {
            accept_all(*listener);
        }
    }
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

void Server::arm(const Connection& connection, core::Duration after) {
    timers_.push({steady_ + after, connection.fd, connection.serial});
}

void Server::count_in(Connection& connection) {
    if (!connection.in_flight && !connection.control) {
        connection.in_flight = true;
        counters_.in_flight.up();
    }
}

void Server::count_out(Connection& connection) {
    if (connection.in_flight) {
        connection.in_flight = false;
        counters_.in_flight.down();
    }
}

void Server::drop(Connection& connection, bool reset) {
    count_out(connection);
    if (!connection.control) {
        counters_.open_connections.down();
    }
    if (reset) {
        const linger at_once{1, 0};
        setsockopt(connection.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    if (connection.tls && !reset) {
        SSL_shutdown(connection.tls.get());
    }
    close(connection.fd);
    connections_[static_cast<std::size_t>(connection.fd)].reset();
    pause_listeners(false);
}

}  // namespace ome::homesim
