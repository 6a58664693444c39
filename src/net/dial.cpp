#include "dial.hpp"

#include "error_text.hpp"
#include "timer.hpp"
#include <ome/core/deadline.hpp>

#include <boost/asio/basic_stream_socket.hpp>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

namespace ome::net {
namespace {

constexpr core::Duration attempt_delay = std::chrono::milliseconds(250);  // RFC 8305 section 5
constexpr std::size_t most_addresses = 8;

using boost::system::error_code;
using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;

core::SteadyTime now() {
    return std::chrono::steady_clock::now();
}

/// Errors of this machine's own routes; a peer's refusal says more.
bool is_local(const error_code& error) {
    return error == asio::error::network_unreachable ||
           error == asio::error::address_family_not_supported ||
           error == boost::system::errc::address_not_available ||
           error == boost::system::errc::invalid_argument;
}

error_code open(Socket& socket, const Endpoint& to) {
    error_code error;
    socket.open(to.protocol(), error);
    if (!error) {
        socket.non_blocking(true, error);
    }
    if (!error) {
        error_code ignored;
        socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    }
    return error;
}

/// Connection attempts that go on side by side. Shared with their handlers, which may come late.
struct Race : std::enable_shared_from_this<Race> {
    Race(asio::io_context& context, std::vector<Endpoint> endpoints)
        : io(context), wake(context), to(std::move(endpoints)) {}

    void start_next() {
        const std::size_t index = sockets.size();
        Socket& socket = *sockets.emplace_back(std::make_unique<Socket>(io));
        started_at = now();
        if (const error_code error = open(socket, to[index])) {
            fail(error);
            return;
        }
        ++pending;
        socket.async_connect(to[index], [self = shared_from_this(), index](error_code error) {
            self->finish(index, error);
        });
    }

    void finish(std::size_t index, error_code error) {
        --pending;
        if (!error && !winner) {
            winner = index;
        } else if (error) {
            fail(error);
        }
        wake.cancel();
    }

    void fail(error_code error) {
        failed = true;
        shortage = shortage || is_descriptor_shortage(error);
        if (!problem || !is_local(error)) {
            problem = error;
        }
    }

    [[nodiscard]] bool all_started() const { return sockets.size() == to.size(); }

    [[nodiscard]] bool may_start() const {
        return !all_started() &&
               (pending == 0 || failed || now() >= core::later(started_at, attempt_delay));
    }

    [[nodiscard]] core::SteadyTime next_start() const {
        return all_started() || shortage ? core::SteadyTime::max()
                                         : core::later(started_at, attempt_delay);
    }

    void advance() {
        while (!winner && !shortage && may_start()) {
            failed = false;
            start_next();
        }
    }

    [[nodiscard]] bool decided() const {
        return winner || (pending == 0 && (all_started() || shortage));
    }

    void close_losers() {
        for (std::size_t index = 0; index < sockets.size(); ++index) {
            if (winner != index) {
                error_code ignored;
                sockets[index]->close(ignored);
            }
        }
    }

    void cancel() { wake.cancel(); }

    asio::io_context& io;
    Timer wake;
    std::vector<Endpoint> to;
    std::vector<std::unique_ptr<Socket>> sockets;  // one for each attempt that was started
    std::size_t pending = 0;
    core::SteadyTime started_at{};
    std::optional<std::size_t> winner;
    error_code problem;
    bool failed = false;  // since the last start
    bool shortage = false;
};

Awaitable<void> run(std::shared_ptr<Race> race, Operation& operation) {
    const CancelOnEnd hook(operation, *race);
    for (race->advance(); !race->decided() && !operation.over(); race->advance()) {
        race->wake.expires_at(race->next_start());
        std::ignore = co_await race->wake.async_wait(as_result);
    }
    race->close_losers();
}

void fail(Dialled& dialled, const error_code& error) {
    dialled.socket.reset();
    dialled.descriptor_shortage = is_descriptor_shortage(error);
    dialled.problem = words(error);
}

// What nearly every home has: one address, and nothing to race.
Awaitable<Dialled> dial_one(SocketEvents& events,
                            Endpoint to,
                            Operation& operation,
                            EventSocket::Use use) {
    Dialled dialled;
    dialled.socket = std::make_unique<EventSocket>(events, use);
    error_code error = dialled.socket->connect(to);
    if (!error && !co_await dialled.socket->wait(EventSocket::Wanted::Write, operation)) {
        dialled.socket.reset();
        co_return dialled;
    }
    error = error ? error : dialled.socket->connect_error();
    if (error) {
        fail(dialled, error);
    }
    co_return dialled;
}

// Asio's sockets run the race; the winner changes over.
Awaitable<Dialled> dial_several(SocketEvents& events,
                                std::vector<Endpoint> to,
                                Operation& operation) {
    const auto race = std::make_shared<Race>(events.io(), std::move(to));
    co_await run(race, operation);
    Dialled dialled;
    error_code error = race->problem;
    if (race->winner) {
        const int socket = race->sockets[*race->winner]->release(error);
        dialled.socket = std::make_unique<EventSocket>(events);
        error = error ? error : dialled.socket->adopt(socket);
    }
    if (!race->winner || error) {
        fail(dialled, error);
        dialled.descriptor_shortage = dialled.descriptor_shortage || race->shortage;
    }
    co_return dialled;
}

}  // namespace

std::vector<core::IpAddress> order_for_dialling(const std::vector<core::IpAddress>& addresses) {
    std::vector<core::IpAddress> v6;
    std::vector<core::IpAddress> v4;
    for (const core::IpAddress& address : addresses) {
        (address.v6 ? v6 : v4).push_back(address);
    }
    std::vector<core::IpAddress> order;
    for (std::size_t index = 0; index < std::max(v6.size(), v4.size()); ++index) {
        for (const auto* family : {&v6, &v4}) {
            if (index < family->size() && order.size() < most_addresses) {
                order.push_back((*family)[index]);
            }
        }
    }
    return order;
}

std::optional<Endpoint> endpoint_of(const core::IpAddress& address,
                                    const std::string& zone,
                                    std::uint16_t port) {
    if (!address.v6) {
        asio::ip::address_v4::bytes_type bytes;
        std::copy_n(address.bytes.begin(), bytes.size(), bytes.begin());
        return Endpoint(asio::ip::address_v4(bytes), port);
    }
    std::uint32_t scope = 0;
    if (!zone.empty()) {
        const char* end = zone.data() + zone.size();
        const auto [stopped, error] = std::from_chars(zone.data(), end, scope);
        if (error != std::errc() || stopped != end) {
            scope = if_nametoindex(zone.c_str());
        }
        if (scope == 0) {
            return std::nullopt;
        }
    }
    asio::ip::address_v6::bytes_type bytes;
    std::copy_n(address.bytes.begin(), bytes.size(), bytes.begin());
    return Endpoint(asio::ip::address_v6(bytes, scope), port);
}

Awaitable<Dialled> dial(SocketEvents& events,
                        std::vector<Endpoint> to,
                        Operation& operation,
                        EventSocket::Use use) {
    return to.size() == 1 ? dial_one(events, to.front(), operation, use)
                          : dial_several(events, std::move(to), operation);
}

}  // namespace ome::net
