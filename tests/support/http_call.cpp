#include "support/http_call.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace ome::test {
namespace {

int connect_to(const std::string& address, std::uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    inet_pton(AF_INET, address.c_str(), &where.sin_addr);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
        ::close(fd);
        return -1;
    }
    return fd;
}

std::string request_text(const std::string& host,
                         std::string_view method,
                         std::string_view target,
                         std::string_view body) {
    std::string text(method);
    text.append(" ").append(target).append(" HTTP/1.1\r\nHost: ").append(host);
    text += "\r\nConnection: close\r\n";
    if (!body.empty()) {
        text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size());
        text += "\r\n";
    }
    return text.append("\r\n").append(body);
}

// The pieces joined; what is cut short ends where it was cut.
std::string without_chunks(std::string_view body) {
    std::string joined;
    while (!body.empty()) {
        std::size_t size = 0;
        std::from_chars(body.data(), body.data() + body.size(), size, 16);
        const std::size_t line = body.find("\r\n");
        if (size == 0 || line == body.npos) {
            break;
        }
        joined.append(body.substr(line + 2, size));
        body.remove_prefix(std::min(line + 2 + size + 2, body.size()));
    }
    return joined;
}

HttpReply reply_from(const std::string& bytes) {
    HttpReply reply;
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string::npos || bytes.size() < 12) {
        return reply;
    }
    std::from_chars(bytes.data() + 9, bytes.data() + 12, reply.status);
    reply.head = bytes.substr(0, end + 2);
    reply.body = bytes.substr(end + 4);
    if (reply.head.find("Transfer-Encoding: chunked") != std::string::npos) {
        reply.body = without_chunks(reply.body);
    }
    return reply;
}

}  // namespace

RawClient::RawClient(std::uint16_t port, const std::string& address)
    : fd_(connect_to(address, port)) {}

RawClient::~RawClient() {
    close();
}

void RawClient::close() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
    fd_ = -1;
}

void RawClient::reset() {
    const linger at_once{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
}

bool RawClient::send(std::string_view bytes) const {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
}

bool RawClient::wait_readable(std::chrono::steady_clock::time_point until) const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd waiting{fd_, POLLIN, 0};
    return left.count() > 0 && poll(&waiting, 1, static_cast<int>(left.count())) > 0;
}

std::string RawClient::read_until(std::string_view wanted, std::chrono::milliseconds timeout) {
    const auto until = std::chrono::steady_clock::now() + timeout;
    std::array<char, 65536> buffer;
    while (unread_.find(wanted) == std::string::npos && wait_readable(until)) {
        const ssize_t count = recv(fd_, buffer.data(), buffer.size(), 0);
        if (count <= 0) {
            break;
        }
        unread_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    const std::size_t at = unread_.find(wanted);
    std::string taken = unread_.substr(0, at == std::string::npos ? at : at + wanted.size());
    unread_.erase(0, taken.size());
    return taken;
}

bool RawClient::closed_by_peer(std::chrono::milliseconds timeout) {
    const auto until = std::chrono::steady_clock::now() + timeout;
    std::array<char, 65536> buffer;
    while (wait_readable(until)) {
        if (recv(fd_, buffer.data(), buffer.size(), 0) <= 0) {
            return true;
        }
    }
    return false;
}

HttpReply http_call(std::uint16_t port,
                    std::string_view method,
                    std::string_view target,
                    std::string_view body,
                    std::chrono::milliseconds timeout) {
    return http_call(HttpPeer{.port = port}, method, target, body, timeout);
}

HttpReply http_call(const HttpPeer& peer,
                    std::string_view method,
                    std::string_view target,
                    std::string_view body,
                    std::chrono::milliseconds timeout) {
    RawClient client(peer.port, peer.address);
    if (!client.connected() || !client.send(request_text(peer.host, method, target, body))) {
        return {};
    }
    // A byte that no answer of a test holds: reads to the end.
    return reply_from(client.read_until(std::string_view("\0\xff", 2), timeout));
}

}  // namespace ome::test
