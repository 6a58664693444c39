// A connected socket, with or without TLS on it. Non-blocking calls first, waits only when they
// would block; no buffer of its own.
#pragma once

#include "tls.hpp"
#include <ome/net/awaitable.hpp>
#include <ome/net/operation.hpp>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ome::net {

using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;

enum class ReadEnd : std::uint8_t {
    More,       ///< bytes came
    End,        ///< the peer has ended the stream, properly
    Truncated,  ///< the peer left without TLS's goodbye: nothing tells a full body from a cut one
    Failed,     ///< see problem(), or the operation ended
};

struct ReadResult {
    std::size_t bytes = 0;
    ReadEnd end = ReadEnd::Failed;
};

class Connection {
public:
    /// Takes a connected, non-blocking socket.
    explicit Connection(Socket socket);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// False: see problem(), or the operation ended.
    Awaitable<bool> handshake(SSL_CTX& trust, std::string host, Operation& operation);
    Awaitable<bool> write(std::string_view bytes, Operation& operation);

    /// At least one byte, or why there is none.
    Awaitable<ReadResult> read(char* into, std::size_t size, Operation& operation);

    /// Calls `handler(error_code)` when, with nobody using the connection, it ends, fails, or bytes
    /// are there. Broken off by cancel(). Costs no system call while nothing happens.
    template <typename Handler>
    void watch(Handler handler) {
        socket_.async_receive(
            asio::buffer(&peeked_, 1),
            asio::socket_base::message_peek,
            [handler = std::move(handler)](boost::system::error_code error, std::size_t) mutable {
                handler(error);
            });
    }

    /// After watch() told of bytes: true if they were TLS's own (a session ticket), so that the
    /// connection can still be used; false if they are an answer that nobody asked for.
    [[nodiscard]] bool idle_bytes_are_harmless();

    /// Nothing lies in TLS's buffers that would pass for an answer to the next request.
    [[nodiscard]] bool is_quiet() {
        return !is_tls() || SSL_has_pending(ssl_.get()) == 0 || idle_bytes_are_harmless();
    }

    /// Breaks off what is awaited; it completes later.
    void cancel();
    void close();

    [[nodiscard]] bool is_open() const { return socket_.is_open(); }
    [[nodiscard]] bool is_tls() const { return ssl_ != nullptr; }
    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] std::optional<std::int64_t> certificate_expiry() const { return expiry_; }

private:
    Awaitable<bool> wait(Socket::wait_type what, Operation& operation);
    Awaitable<ReadResult> read_plain(char* into, std::size_t size, Operation& operation);
    Awaitable<ReadResult> read_tls(char* into, std::size_t size, Operation& operation);
    Awaitable<bool> write_plain(std::string_view bytes, Operation& operation);
    Awaitable<bool> write_tls(std::string_view bytes, Operation& operation);
    Awaitable<bool> retry_tls(int result, Operation& operation);
    void note(const boost::system::error_code& error);

    Socket socket_;
    SslPtr ssl_;
    std::string host_;
    std::string problem_;
    std::optional<std::int64_t> expiry_;
    char peeked_ = 0;
};

}  // namespace ome::net
