#include "connection.hpp"

#include "http_request.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ome::homesim {
namespace {

constexpr std::size_t filler_bytes = 65536;
const std::string filler(filler_bytes, 'x');

std::size_t most_unread(const Connection& connection) {
    return most_head_bytes + (connection.control ? most_body_bytes : most_head_bytes);
}

}  // namespace

std::string_view bytes_at(const Reply& reply, std::uint64_t position) {
    if (position < reply.bytes.size()) {
        return std::string_view(reply.bytes).substr(position);
    }
    position -= reply.bytes.size();
    if (position < reply.fill) {
        return std::string_view(filler).substr(
            0, std::min<std::uint64_t>(filler_bytes, reply.fill - position));
    }
    position -= reply.fill;
    return std::string_view(reply.tail)
        .substr(std::min<std::uint64_t>(position, reply.tail.size()));
}

Sent send_reply(Connection& connection) {
    const Reply& reply = connection.reply;
    const bool drips = connection.step && connection.step->drip.count() > 0;
    while (true) {
        std::string_view bytes = bytes_at(reply, connection.sent);
        if (bytes.empty()) {
            return Sent::All;
        }
        const bool dripping = drips && connection.sent >= reply.steady;
        bytes = bytes.substr(0,
                             dripping ? 1
                             : drips  ? reply.steady - connection.sent
                                      : bytes.size());
        const ssize_t count = send(connection.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0) {
            return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::Blocked : Sent::Gone;
        }
        connection.sent += static_cast<std::uint64_t>(count);
        if (dripping && !bytes_at(reply, connection.sent).empty()) {
            return Sent::Paused;
        }
    }
}

Received receive(Connection& connection) {
    std::array<char, 16384> buffer;
    const ssize_t count = recv(connection.fd, buffer.data(), buffer.size(), 0);
    if (count < 0) {
        const bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        return later ? Received::Bytes : Received::Gone;
    }
    connection.in.append(buffer.data(), static_cast<std::size_t>(count));
    if (connection.in.size() > most_unread(connection)) {
        return Received::TooMuch;
    }
    return count > 0 ? Received::Bytes : Received::Gone;
}

}  // namespace ome::homesim
