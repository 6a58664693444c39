// A server on loopback that does what a test's script says, however wrong: one thread for each
// connection, blocking calls, no time-outs. It ends with the test: whatever its scripts wait for is
// cut off then.
#pragma once

#include "support/certificates.hpp"

#include <openssl/ssl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ome::test {

class ScriptedServer;

/// The server's end of one connection.
class Peer {
public:
    Peer(ScriptedServer& server, int socket, std::size_t index);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    [[nodiscard]] std::size_t index() const { return index_; }  ///< of this connection, from 0

    /// The head of the next request; empty when the client has left.
    std::string read_request();
    /// What follows the head: so many bytes, or fewer when the client has left.
    std::string read_bytes(std::size_t bytes);
    /// False: the client has left.
    bool write(std::string_view bytes);
    /// One byte each `gap`, until done or the client leaves.
    void drip(std::string_view bytes, std::chrono::milliseconds gap);
    /// Waits for `time`; false when the client left before.
    bool pause(std::chrono::milliseconds time);
    void wait_until_gone();
    /// Ends with FIN, TLS's goodbye before it where there is TLS.
    void finish();
    /// Ends with FIN and without a goodbye.
    void finish_rudely();
    void reset();

    /// False: the client broke it off.
    bool start_tls(SSL_CTX& context);
    [[nodiscard]] std::string server_name() const;  ///< SNI; empty when there was none
    [[nodiscard]] bool resumed() const;
    /// Says something of TLS's own: a KeyUpdate that is to be answered (1.3), or a HelloRequest
    /// (1.2). False: the client has left.
    bool say_in_tls();
    [[nodiscard]] int socket() const { return socket_; }

private:
    std::ptrdiff_t receive(char* into, std::size_t size);

    ScriptedServer& server_;
    int socket_;
    std::size_t index_;
    std::unique_ptr<SSL, FreeOpenSsl> ssl_;
    std::string pending_;
};

class ScriptedServer {
public:
    using Script = std::function<void(Peer&)>;

    explicit ScriptedServer(Script script, const std::string& address = "127.0.0.1");
    /// TLS first, then the script; a handshake that fails ends the connection.
    ScriptedServer(std::shared_ptr<SSL_CTX> context, Script script);
    ~ScriptedServer();
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::size_t connections() const;
    [[nodiscard]] std::vector<std::string> requests() const;
    /// Waits until all connections that were made are over.
    void wait_for_all();

private:
    friend class Peer;
    void accept_all();
    void serve(int socket, std::size_t index);

    Script script_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::vector<std::thread> threads_;
    std::vector<int> open_;
    std::size_t accepted_ = 0;
    std::thread acceptor_;
};

/// A response with a Content-Length and what else `headers` (lines with CRLF) says.
[[nodiscard]] std::string response(std::string_view body,
                                   std::string_view headers = {},
                                   std::string_view status = "200 OK");

/// Answers every request on a connection with `bytes`.
[[nodiscard]] ScriptedServer::Script answer_all(std::string bytes);

/// A port of loopback where nobody listens.
[[nodiscard]] std::uint16_t refused_port();

}  // namespace ome::test
