// TLS on a socket that somebody else owns. TLS 1.2 or later, HTTP/1.1 only, no renegotiation, and
// no session is ever resumed: a probe must see today's certificate (design.md section 5, D1, D6).
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ome::net {

struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(BIO* bio) const { BIO_free(bio); }
};
using SslPtr = std::unique_ptr<SSL, FreeSsl>;
using BioPtr = std::unique_ptr<BIO, FreeSsl>;
using SslContextPtr = std::unique_ptr<SSL_CTX, FreeSsl>;

/// What a peer says for TLS itself: handshake messages and alerts. A few belong to every
/// connection; one that goes on with them without end (session tickets, HelloRequests, KeyUpdates
/// that want an answer) would keep us busy inside of a single call. That call ends then, and with
/// it whatever comes later.
class TlsTalk {
public:
    TlsTalk() = default;
    TlsTalk(const TlsTalk&) = delete;
    TlsTalk& operator=(const TlsTalk&) = delete;

    /// From now on; must outlive the calls of `ssl`.
    void listen_to(SSL& ssl);

    /// We have something to say ourselves: what was said before counts no more.
    void start_over() { messages_ = bytes_ = 0; }

    [[nodiscard]] bool endless() const { return endless_; }

    static constexpr std::string_view problem = "TLS: peer sends handshake messages without end";

private:
    static void on_message(
        int ours, int version, int type, const void* bytes, std::size_t size, SSL* ssl, void* self);

    std::size_t messages_ = 0;
    std::size_t bytes_ = 0;
    bool endless_ = false;
};

/// For clients. It trusts nobody until it is given a store. Null: out of memory.
[[nodiscard]] SslContextPtr client_context();

/// For servers; needs a certificate and its key. Null: out of memory.
[[nodiscard]] SslContextPtr server_context();

/// The reason of what OpenSSL refused last. Takes its error queue.
[[nodiscard]] std::string openssl_words();

/// A client's side of a handshake on `socket`, to be verified as `host`: a name or an IP address.
/// Names go out as SNI; only subject alternative names count. Null: out of memory.
[[nodiscard]] SslPtr open_tls(SSL_CTX& trust, int socket, const std::string& host);
[[nodiscard]] SslPtr open_tls(SSL_CTX& trust, BioPtr transport, const std::string& host);

/// Why an SSL call failed, in words; `result` and `error_number` are its result and errno after it.
/// Takes OpenSSL's error queue.
[[nodiscard]] std::string tls_problem(const SSL& ssl,
                                      int ssl_error,
                                      int error_number,
                                      const std::string& host);

/// Whether the peer left without saying so in TLS. Looks at OpenSSL's error queue.
[[nodiscard]] bool is_truncation(int ssl_error, int error_number);

/// Seconds since 1970 at which the peer's own certificate expires, also of one that was refused.
[[nodiscard]] std::optional<std::int64_t> certificate_expiry(const SSL& ssl);

}  // namespace ome::net
