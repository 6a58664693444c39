// A connected socket, with or without TLS on it. Calls that do what they can at once, and a wait
// for when they were blocked; no buffer of its own.
#pragma once

#include "event_socket.hpp"
#include "tls.hpp"
#include <ome/net/awaitable.hpp>
#include <ome/net/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ome::net {

enum class ReadEnd : std::uint8_t {
    More,       ///< bytes came
    Blocked,    ///< none are there yet: wait()
    End,        ///< the peer has ended the stream, properly
    Truncated,  ///< the peer left without TLS's goodbye: nothing tells a full body from a cut one
    Failed,     ///< see problem()
};

struct ReadResult {
    std::size_t bytes = 0;
    ReadEnd end = ReadEnd::Failed;
};

enum class WriteEnd : std::uint8_t { Done, Blocked, Failed };

class Connection {
public:
    /// Takes a connected socket.
    explicit Connection(std::unique_ptr<EventSocket> socket);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// False: see problem(), or the operation ended.
    Awaitable<bool> handshake(SSL_CTX& trust, std::string host, Operation& operation);

    /// Takes off `bytes` what it has written.
    [[nodiscard]] WriteEnd write(std::string_view& bytes);
    [[nodiscard]] ReadResult read(char* into, std::size_t size);

    /// Until what was blocked may go on. False: the operation ended, or cancel().
    Awaitable<bool> wait(Operation& operation) { return socket_->wait(wanted_, operation); }

    /// Who hears when, with nobody using the connection, bytes come or it ends; null: nobody.
    void watch(EventSocket::Watcher* watcher) { socket_->watch(watcher); }

    /// Nothing has come that would pass for an answer to the next request, nor the end; what TLS
    /// has to say for itself (a session ticket) is taken.
    [[nodiscard]] bool is_quiet();

    void close();
    /// After a complete answer that no other will follow; see EventSocket.
    void close_at_once();

    [[nodiscard]] bool is_open() const { return socket_->is_open(); }
    [[nodiscard]] bool is_tls() const { return ssl_ != nullptr; }
    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] std::optional<std::int64_t> certificate_expiry() const { return expiry_; }

private:
    [[nodiscard]] ReadResult read_tls(char* into, std::size_t size);
    [[nodiscard]] WriteEnd write_tls(std::string_view& bytes);
    [[nodiscard]] bool may_retry_tls(int result);
    void note(const boost::system::error_code& error);

    std::unique_ptr<EventSocket> socket_;
    TlsTalk talk_;
    SslPtr ssl_;
    EventSocket::Wanted wanted_ = EventSocket::Wanted::Read;  // by the call that was blocked
    std::string host_;
    std::string problem_;
    std::optional<std::int64_t> expiry_;
};

}  // namespace ome::net
