// The HTTP/1.1 client of observations: one request under one deadline, a bounded answer, and a lane
// per home in which an idle connection waits for the next one. See design.md section 5, "Exchange",
// "Connections" and "Address policy".
//
// One Client belongs to one reactor and is used only there. The process must ignore SIGPIPE:
// OpenSSL writes to sockets without asking for that.
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/proxy.hpp>
#include <ome/net/awaitable.hpp>
#include <ome/net/operation.hpp>
#include <ome/net/trust.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::net {

/// A request's bytes and where they go; made once per home and kind, shared by its attempts.
struct PreparedRequest {
    core::RequestTarget target;
    core::Method method = core::Method::Get;
    /// Says `Connection: close` and never reuses a connection. Every POST is fresh: it could not be
    /// sent again if a kept connection turned out to be dead.
    bool fresh = false;
    std::string bytes;                         ///< request line and headers, complete
    std::shared_ptr<const core::Proxy> proxy;  ///< null: straight to the target
    std::string cluster;                       ///< whose TLS files count; of https targets only
};

/// Through a proxy the request line is in absolute form and carries the proxy's credentials, unless
/// the target is https: then only the proxy's CONNECT does.
[[nodiscard]] PreparedRequest prepare(core::RequestTarget target,
                                      core::Method method,
                                      bool fresh,
                                      std::shared_ptr<const core::Proxy> proxy = nullptr);

class PooledConnection;

/// Where the idle connection of one target waits between attempts; never used for another target.
/// Empty costs two pointers. Destroying or
/// closing it closes the connection. Must not outlive its Client.
class Lane {
public:
    Lane();
    ~Lane();
    Lane(Lane&&) noexcept;
    Lane& operator=(Lane&&) noexcept;
    void close();

private:
    friend class IdlePool;
    std::shared_ptr<PooledConnection> connection_;  ///< shared with the watch that tells its end
};

enum class BodyUse : std::uint8_t {
    Report,   ///< status 200: all of it, more than the cap is Fault::Body; other statuses: not read
    Discard,  ///< read up to the cap or its end, whatever the status; more is neither read nor a
              ///< fault
};

/// Body bytes land here, with at least 64 readable bytes behind them (simdjson parses in place).
/// Grows up to the cap and shrinks back; reused between attempts of one worker.
class FetchBuffer {
public:
    [[nodiscard]] std::string_view body() const;

private:
    friend class Fetch;
    std::vector<char> bytes_;
    std::size_t body_begin_ = 0;
    std::size_t body_size_ = 0;
};

/// What an exchange told besides its outcome; for metrics and logs.
struct ExchangeFacts {
    bool reused = false;  ///< on a connection of an earlier attempt
    /// No file descriptor was left: our fault, so the attempt ends as Fault::Cancelled and says
    /// nothing of the home. Worth a line in the log, and a pause before the next try.
    bool descriptor_shortage = false;
    std::optional<core::WallTime> certificate_expiry;  ///< of the peer's own certificate
    std::optional<core::WallTime> server_date;         ///< the `Date` header; whole seconds
};

struct FetchOptions {
    BodyUse body = BodyUse::Discard;
    std::size_t max_body_bytes = 65536;
    ExchangeFacts* facts = nullptr;  ///< filled in when given; must live until fetch() returns
};

struct ClientSettings {
    std::vector<std::string> deny_addresses;  ///< CIDR; empty denies nothing
    bool allow_loopback = false;
    core::ProxyRules proxies;                 ///< empty: none
    std::shared_ptr<const Trust> trust;       ///< of TLS peers; null: nobody is
    std::string dns_servers;                  ///< HOST:PORT,...; empty: resolv.conf
    std::string resolv_conf;                  ///< empty: /etc/resolv.conf
    std::size_t max_idle_connections = 4096;  ///< of this reactor; the oldest goes first
    core::Duration connection_max_age = std::chrono::seconds(30);
};

/// Totals since the client was made; read on its reactor.
struct ClientStats {
    std::uint64_t connects = 0;        ///< connections opened
    std::uint64_t reuses = 0;          ///< attempts begun on a kept connection
    std::uint64_t resends = 0;         ///< of those, sent again because it had died
    std::uint64_t handshakes = 0;      ///< TLS, completed
    std::uint64_t lookups = 0;         ///< queries to the resolver, a family each
    std::uint64_t refused = 0;         ///< attempts that the address policy stopped
    std::uint64_t evictions = 0;       ///< idle connections closed to make room
    std::uint64_t shortages = 0;       ///< attempts that found no file descriptor
    std::size_t idle_connections = 0;  ///< now
    std::size_t in_flight = 0;         ///< fetches, now
};

/// The default of `--deny-addresses` (design.md section 5).
[[nodiscard]] std::vector<std::string> default_deny_addresses();

class Client {
public:
    /// Problem: a CIDR or a name server that cannot be used, named.
    [[nodiscard]] static core::Result<std::unique_ptr<Client>> create(
        asio::io_context& io, const ClientSettings& settings);
    ~Client();

    /// net::prepare() with the proxy that is meant for the target, if any.
    [[nodiscard]] PreparedRequest prepare(core::RequestTarget target,
                                          core::Method method,
                                          bool fresh,
                                          const std::string& cluster) const;

    /// Never throws. Returns when the connection is closed or back in the lane, so that the permit
    /// may be given back. `lane` may be null when the request is a fresh one; all else must be
    /// there until fetch() returns. `outcome.report` is left to the caller, who has
    /// `buffer.body()`, with one exception: an answer in a content encoding, which nobody asked
    /// for, is no valid report, and `outcome.report` says so (design.md D5).
    ///
    /// Texts: `context deadline exceeded`, `unexpected EOF`, `response exceeds configured limit of
    /// <n> bytes`, `address refused by policy`, `invalid port <p>: ...`; others are our own words.
    Awaitable<core::AttemptOutcome> fetch(std::shared_ptr<const PreparedRequest> request,
                                          FetchOptions options,
                                          Lane* lane,
                                          Operation* operation,
                                          FetchBuffer* buffer);

    /// For handshakes from now on. Idle TLS connections are closed, since they were verified under
    /// the old one.
    void set_trust(std::shared_ptr<const Trust> trust);

    [[nodiscard]] ClientStats stats() const;

    /// Lookups, waiters and watches end; must be awaited before destruction. Waits for fetches in
    /// flight, which their owners end by their operations; later ones are Fault::Cancelled at once.
    Awaitable<void> stop();

    struct State;  ///< of src/net alone

private:
    explicit Client(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace ome::net
