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

bool bind_and_listen(int fd, const sockaddr_in& address) {
    const int on = 1;
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
           bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
           listen(fd, backlog) == 0;
}

}  // namespace

core::Result<int> listen_on(const std::string& address, std::uint16_t port) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    if (inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1) {
        return core::Problem{fmt::format("--address ({}) must be an IPv4 address", address),
                             "address"};
    }
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || !bind_and_listen(fd, where)) {
        const std::string why = std::strerror(errno);
        close(fd);
        return core::Problem{fmt::format("cannot listen on {}:{}: {}", address, port, why), "port"};
    }
    return fd;
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
