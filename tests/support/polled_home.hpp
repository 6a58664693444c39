// Homes that are polled by a real Shard, all on the calling thread: they answer when they are told
// to, so that what happens is the same each time. For counts: allocations, instructions.
#pragma once

#include "run.hpp"
#include "shard.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/net/clock.hpp>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace ome::test {

/// Every home of a service: answers each request with the same report, stamped when this began.
class PolledHomes {
public:
    PolledHomes() {
        const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof address;
        if (::bind(listener, generic, size) != 0 || ::listen(listener, SOMAXCONN) != 0 ||
            ::getsockname(listener, generic, &size) != 0) {
            throw std::system_error(errno, std::generic_category(), "a listener on loopback");
        }
        port_ = ntohs(address.sin_port);
        sockets_.push_back({listener, POLLIN, 0});
        const std::string body =
            R"({"servable":4,"observedAt":")" + core::format_timestamp(net::read_clock().wall) +
            R"(","sensors":[{"name":"queue","value":1.5,"ok":true},{"name":"memory","value":70}]})";
        answer_ =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            "Date: Tue, 15 Sep 2026 12:00:00 GMT\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    ~PolledHomes() {
        for (const pollfd& socket : sockets_) {
            ::close(socket.fd);
        }
    }
    PolledHomes(const PolledHomes&) = delete;
    PolledHomes& operator=(const PolledHomes&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }

    /// Waits so long for requests, which fit one segment each; how many it has answered.
    std::size_t answer(std::chrono::milliseconds patience) {
        std::size_t answered = 0;
        if (::poll(sockets_.data(), sockets_.size(), static_cast<int>(patience.count())) > 0) {
            for (std::size_t at = 1; at < sockets_.size(); ++at) {
                answered += sockets_[at].revents != 0 && answer(sockets_[at].fd) ? 1U : 0U;
            }
            if (sockets_.front().revents != 0) {
                sockets_.push_back({::accept(sockets_.front().fd, nullptr, nullptr), POLLIN, 0});
            }
        }
        return answered;
    }

private:
    [[nodiscard]] bool answer(int socket) const {
        std::array<char, 2048> request{};
        return ::recv(socket, request.data(), request.size(), 0) > 0 &&
               ::send(socket, answer_.data(), answer_.size(), MSG_NOSIGNAL) > 0;
    }

    std::vector<pollfd> sockets_;  // the listener first
    std::uint16_t port_ = 0;
    std::string answer_;
};

/// A reactor that polls one service of so many homes.
class PollingShard {
public:
    struct Setup {
        std::size_t homes = 1;
        std::int64_t permits = 1;
        core::Duration period{};
        core::Duration grid = std::chrono::milliseconds(1);
    };

    PollingShard(const Setup& setup, std::uint16_t port) {
        net::ClientSettings client_settings;
        client_settings.allow_loopback = true;
        client_settings.connection_max_age = std::chrono::hours(1);
        client_ = *net::Client::create(io_, client_settings);
        observer::ShardSettings settings;
        settings.grid = setup.grid;
        shard_ = std::make_unique<observer::Shard>(
            io_,
            *client_,
            settings,
            [this](const observer::ShardNews& news) { changes_ += news.changes.size(); },
            [](const core::PermitReport&) {});
        shard_->allow({0, 1, setup.permits});
        shard_->declare(declaration(setup, port));
    }
    ~PollingShard() {
        run(io_, shard_->stop());
        run(io_, client_->stop());
    }
    PollingShard(const PollingShard&) = delete;
    PollingShard& operator=(const PollingShard&) = delete;

    /// One handler of the reactor, if one is ready by then.
    bool step(std::chrono::milliseconds patience) {
        io_.restart();
        return io_.run_one_for(patience) != 0;
    }

    /// Of readings, told so far.
    [[nodiscard]] std::size_t changes() const { return changes_; }
    [[nodiscard]] std::uint64_t reuses() const { return client_->stats().reuses; }

private:
    static core::ServiceDeclaration declaration(const Setup& setup, std::uint16_t port) {
        core::ServiceDeclaration declaration;
        declaration.key = {"bench", "service"};
        core::CapacityPolicy& policy = declaration.capacity.emplace();
        policy.path = "/capacity";
        policy.format = "Report";
        policy.period = setup.period;
        policy.timeout = std::chrono::hours(1);
        policy.samples = 4;
        policy.quorum = 2;
        policy.max_age = std::chrono::hours(24);
        const std::string endpoint = "http://127.0.0.1:" + std::to_string(port);
        for (std::size_t home = 0; home < setup.homes; ++home) {
            declaration.homes.push_back({"cluster-" + std::to_string(home), endpoint, {}});
        }
        return declaration;
    }

    net::asio::io_context io_{1};
    std::size_t changes_ = 0;
    std::unique_ptr<net::Client> client_;
    std::unique_ptr<observer::Shard> shard_;
};

}  // namespace ome::test
