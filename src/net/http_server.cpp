#include "http_server_session.hpp"
#include <ome/core/deadline.hpp>
#include <ome/net/http_server.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <list>

namespace ome::net {
namespace {

constexpr core::Duration accept_backoff = std::chrono::milliseconds(100);
constexpr core::Duration between_complaints = std::chrono::minutes(1);

// A client that has just been let in has its request on the way; where descriptors are short it
// must not make room for the next one, or nobody would ever be answered.
constexpr core::Duration time_to_begin = std::chrono::seconds(1);

// The one that was to be accepted has gone; the next accept() may well succeed.
bool left_already(boost::system::error_code error) {
    return error == asio::error::connection_aborted || error == asio::error::interrupted ||
           error == boost::system::errc::protocol_error;
}

// Every ending is a value, save the one that a cut session throws from its next await.
void end_on_bug(const std::exception_ptr& thrown) {
    if (!thrown) {
        return;
    }
    try {
        std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
    }
}

}  // namespace

std::string_view ServerRequest::header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

Awaitable<core::Result<std::string>> read_all(std::shared_ptr<RequestBody> body,
                                              std::size_t max_bytes) {
    std::string all;
    while (auto piece = co_await body->next()) {
        if (piece->size() > max_bytes - all.size()) {
            core::Problem problem{fmt::format("the body is larger than {} bytes", max_bytes),
                                  "413"};
            co_return problem;
        }
        all += *piece;
    }
    if (!body->complete()) {
        core::Problem problem = body->too_slow()
                                    ? core::Problem{"the body did not arrive in time", "408"}
                                    : core::Problem{"the body was cut short", "400"};
        co_return problem;
    }
    // Named, since a text alone could also become a Problem.
    co_return core::Result<std::string>(boost::system::in_place_value, std::move(all));
}

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
    State(asio::io_context& context, std::unique_ptr<Listener> bound, SessionShared with)
        : io(context),
          listener(std::move(bound)),
          shared(std::make_shared<SessionShared>(std::move(with))),
          changed(context, core::SteadyTime::max()),
          backoff(context) {}

    Awaitable<void> accept_loop();
    Awaitable<bool> have_room();
    Awaitable<void> pause_accepting(boost::system::error_code error);
    Awaitable<void> wait_for_change();
    void admit(StreamSocket socket);
    void ended(std::list<std::shared_ptr<Session>>::iterator session);
    bool evict_oldest_idle(core::SteadyTime idle_since_before = core::SteadyTime::max());
    void cut_idle();
    void cut_all();

    asio::io_context& io;
    std::unique_ptr<Listener> listener;
    std::shared_ptr<SessionShared> shared;
    std::list<std::shared_ptr<Session>> sessions;
    SteadyTimer changed;  ///< never expires; cancelled to wake who waits for a session to end
    SteadyTimer backoff;
    bool accepting = false;
    core::SteadyTime next_complaint{};  ///< that connections cannot be accepted
};

Awaitable<void> HttpServer::State::accept_loop() {
    while (!shared->stopping) {
        if (!co_await have_room()) {
            continue;
        }
        // accept() takes a descriptor before it looks for a client: without one that waits, a
        // shortage is none of ours.
        std::ignore =
            co_await listener->acceptor().async_wait(asio::socket_base::wait_read, as_result);
        if (shared->stopping) {
            break;
        }
        StreamSocket socket(io);
        const auto [error] = co_await listener->acceptor().async_accept(socket, as_result);
        if (shared->stopping) {
            break;
        }
        if (error) {
            co_await pause_accepting(error);
            continue;
        }
        admit(std::move(socket));
    }
}

// At the limit a connection is taken only for another one that nobody misses; so a flood of silent
// ones costs each other, and a busy server leaves newcomers to the kernel.
Awaitable<bool> HttpServer::State::have_room() {
    if (sessions.size() < shared->settings.max_connections) {
        co_return true;
    }
    std::ignore = co_await listener->acceptor().async_wait(asio::socket_base::wait_read, as_result);
    if (shared->stopping) {
        co_return false;
    }
    evict_oldest_idle();
    if (sessions.size() >= shared->settings.max_connections) {
        co_await wait_for_change();
    }
    co_return sessions.size() < shared->settings.max_connections;
}

// Without descriptors or memory accept() fails at once, again and again: to wait is all that helps,
// besides giving one back.
Awaitable<void> HttpServer::State::pause_accepting(boost::system::error_code error) {
    if (left_already(error)) {
        co_return;
    }
    const core::SteadyTime now = std::chrono::steady_clock::now();
    if (now >= next_complaint && shared->settings.on_fault) {
        next_complaint = core::later(now, between_complaints);
        shared->settings.on_fault(fmt::format("cannot accept connections: {}", error.message()));
    }
    evict_oldest_idle(now - time_to_begin);
    backoff.expires_after(accept_backoff);
    std::ignore = co_await backoff.async_wait(as_result);
}

Awaitable<void> HttpServer::State::wait_for_change() {
    std::ignore = co_await changed.async_wait(as_result);
}

void HttpServer::State::admit(StreamSocket socket) {
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    if (!listener->address().is_unix()) {
        socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    }
    const auto session = std::make_shared<Session>(std::move(socket), shared);
    const auto place = sessions.insert(sessions.end(), session);
    asio::co_spawn(
        io,
        session->run(),
        asio::bind_cancellation_slot(session->slot(),
                                     [self = shared_from_this(), place](std::exception_ptr thrown) {
                                         self->ended(place);
                                         end_on_bug(thrown);
                                     }));
}

void HttpServer::State::ended(std::list<std::shared_ptr<Session>>::iterator session) {
    sessions.erase(session);
    changed.cancel();
}

bool HttpServer::State::evict_oldest_idle(core::SteadyTime idle_since_before) {
    std::shared_ptr<Session> oldest;
    for (const auto& session : sessions) {
        if (session->idle() && session->since() < idle_since_before &&
            (!oldest || session->since() < oldest->since())) {
            oldest = session;
        }
    }
    if (oldest) {
        oldest->cut();
    }
    return oldest != nullptr;
}

void HttpServer::State::cut_idle() {
    const auto copy = sessions;
    for (const auto& session : copy) {
        if (session->idle()) {
            session->cut();
        }
    }
}

void HttpServer::State::cut_all() {
    const auto copy = sessions;
    for (const auto& session : copy) {
        session->cut();
    }
}

HttpServer::HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() {
    state_->shared->stopping = true;
    state_->listener->close();
    state_->backoff.cancel();
    state_->changed.cancel();
    state_->cut_all();
}

core::Result<std::unique_ptr<HttpServer>> HttpServer::create(asio::io_context& io,
                                                             HttpServerSettings settings,
                                                             Handler handler,
                                                             ProblemAnswer problem_answer) {
    const auto address = parse_listen_address(settings.listen);
    if (!address) {
        return address.error();
    }
    auto listener = Listener::open(io, *address);
    if (!listener) {
        return listener.error();
    }
    SessionShared shared;
    shared.settings = std::move(settings);
    shared.handler = std::move(handler);
    shared.problem_answer = std::move(problem_answer);
    auto state = std::make_shared<State>(io, std::move(*listener), std::move(shared));
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

void HttpServer::start() {
    state_->accepting = true;
    asio::co_spawn(state_->io, state_->accept_loop(), [state = state_](std::exception_ptr thrown) {
        state->accepting = false;
        state->changed.cancel();
        end_on_bug(thrown);
    });
}

void HttpServer::set_tls(std::shared_ptr<const ServerTls> tls) {
    if (state_->shared->settings.tls != nullptr && tls != nullptr) {
        state_->shared->settings.tls = std::move(tls);
    }
}

std::string HttpServer::address() const {
    return to_string(state_->listener->address());
}

std::size_t HttpServer::connections() const {
    return state_->sessions.size();
}

Awaitable<void> HttpServer::stop(core::Duration grace) {
    const auto state = state_;
    state->shared->stopping = true;
    state->listener->close();
    state->backoff.cancel();
    state->changed.cancel();
    state->cut_idle();
    SteadyTimer cutter(state->io, grace);
    cutter.async_wait([state](boost::system::error_code error) {
        if (!error) {
            state->cut_all();
        }
    });
    while (state->accepting || !state->sessions.empty()) {
        co_await state->wait_for_change();
    }
}

}  // namespace ome::net
