#include "sockets.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ome::homesim {
namespace {

constexpr int backlog = 4096;

// 127.1.0.1 to 127.1.0.250, then 127.1.1.1 and so on: no .0 and no .255.
constexpr std::size_t per_third = 250;
constexpr std::size_t per_second = per_third * 250;

bool bind_and_listen(int fd, const sockaddr_in& address, int queue) {
    const int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
           bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
           listen(fd, queue) == 0;
}

core::Problem cannot_listen(const std::string& address, std::uint16_t port) {
    return {fmt::format("cannot listen on {}:{}: {}", address, port, std::strerror(errno)), "port"};
}

core::Result<sockaddr_in> place_of(const std::string& address, std::uint16_t port) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    if (inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1) {
        return core::Problem{fmt::format("--address ({}) must be an IPv4 address", address),
                             "address"};
    }
    return where;
}

core::Result<int> listen_at(const std::string& address,
                            std::uint16_t port,
                            int queue,
                            bool only_lo) {
    const core::Result<sockaddr_in> where = place_of(address, port);
    if (!where) {
        return where.error();
    }
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const bool bound =
        fd >= 0 && (!only_lo || setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2) == 0);
    if (!bound || !bind_and_listen(fd, *where, queue)) {
        core::Problem problem = cannot_listen(address, port);
        close(fd);
        return problem;
    }
    return fd;
}

}  // namespace

core::Result<int> listen_on(const std::string& address, std::uint16_t port) {
    return listen_at(address, port, backlog, false);
}

core::Result<int> listen_on_loopback(std::uint16_t port) {
    return listen_at("0.0.0.0", port, backlog, true);
}

core::Result<std::vector<int>> open_full_port(const std::string& address, std::uint16_t port) {
    const core::Result<int> listener = listen_at(address, port, 0, false);
    if (!listener) {
        return listener.error();
    }
    std::vector<int> all{*listener};
    const sockaddr_in where = *place_of(address, port_of(*listener));
    // A queue of length zero holds one; the second one waits in the kernel's retransmissions.
    for (int i = 0; i < 2; ++i) {
        all.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        (void)connect(all.back(), reinterpret_cast<const sockaddr*>(&where), sizeof where);
    }
    return all;
}

std::string indexed_address(std::size_t index) {
    return fmt::format(
        "127.{}.{}.{}", 1 + index / per_second, index / per_third % 250, 1 + index % per_third);
}

std::optional<std::size_t> address_index(int fd) {
    sockaddr_in where{};
    socklen_t size = sizeof where;
    getsockname(fd, reinterpret_cast<sockaddr*>(&where), &size);
    const std::uint32_t bytes = ntohl(where.sin_addr.s_addr);
    const std::size_t second = bytes >> 16 & 0xFF;
    const std::size_t third = bytes >> 8 & 0xFF;
    const std::size_t fourth = bytes & 0xFF;
    if (bytes >> 24 != 127 || second == 0 || third >= 250 || fourth == 0 || fourth > per_third) {
        return std::nullopt;
    }
    return (second - 1) * per_second + third * per_third + fourth - 1;
}

std::uint16_t port_of(int listener) {
    sockaddr_in where{};
    socklen_t size = sizeof where;
    getsockname(listener, reinterpret_cast<sockaddr*>(&where), &size);
    return ntohs(where.sin_port);
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

}  // namespace ome::homesim
