#include "connection.hpp"

#include "http_request.hpp"

#include <openssl/err.h>
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

enum class Moved : std::uint8_t { Some, Later, Gone };

Moved what_tls_says(SSL* ssl, int result) {
    const int error = SSL_get_error(ssl, result);
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? Moved::Later
                                                                         : Moved::Gone;
}

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

Moved send_some(Connection& connection, std::string_view bytes) {
    if (connection.tls) {
        ERR_clear_error();
        std::size_t count = 0;
        const int good = SSL_write_ex(connection.tls.get(), bytes.data(), bytes.size(), &count);
        connection.sent += count;
        return good == 1 ? Moved::Some : what_tls_says(connection.tls.get(), good);
    }
    const ssize_t count = send(connection.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) {
        return would_block() ? Moved::Later : Moved::Gone;
    }
    connection.sent += static_cast<std::uint64_t>(count);
    return Moved::Some;
}

Moved receive_some(Connection& connection, std::array<char, 16384>& buffer) {
    std::size_t count = 0;
    if (connection.tls) {
        ERR_clear_error();
        const int good = SSL_read_ex(
            connection.tls.get(), buffer.data(), buffer.size(), &count);  // handshakes, too
        connection.in.append(buffer.data(), count);
        return good == 1 ? Moved::Some : what_tls_says(connection.tls.get(), good);
    }
    const ssize_t got = recv(connection.fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) {
        return got < 0 && would_block() ? Moved::Later : Moved::Gone;
    }
    connection.in.append(buffer.data(), static_cast<std::size_t>(got));
    return Moved::Some;
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
        if (const Moved moved = send_some(connection, bytes); moved != Moved::Some) {
            return moved == Moved::Later ? Sent::Blocked : Sent::Gone;
        }
        if (dripping && !bytes_at(reply, connection.sent).empty()) {
            return Sent::Paused;
        }
    }
}

Received receive(Connection& connection) {
    std::array<char, 16384> buffer;
    Moved moved = receive_some(connection, buffer);
    // A TLS record may hold more than was asked for, and nothing would tell of the rest.
    while (moved == Moved::Some && connection.tls && SSL_pending(connection.tls.get()) > 0 &&
           connection.in.size() <= most_unread(connection)) {
        moved = receive_some(connection, buffer);
    }
    if (connection.in.size() > most_unread(connection)) {
        return Received::TooMuch;
    }
    return moved == Moved::Gone ? Received::Gone : Received::Bytes;
}

}  // namespace ome::homesim
