// The HTTP/1.1 client of observations: one request under one deadline, a bounded answer, and a lane
// per home in which an idle connection waits for the next one. See design.md section 5, "Exchange",
// "Connections" and "Address policy".
//
// One Client belongs to one reactor and is used only there.
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/net/awaitable.hpp>
#include <ome/net/operation.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ome::net {

/// A request's bytes and where they go; made once per home and kind, shared by its attempts.
struct PreparedRequest {
    core::RequestTarget target;
    core::Method method = core::Method::Get;
    bool fresh = false;  ///< says `Connection: close`, never reuses a connection, never resumes TLS
    std::string bytes;   ///< request line and headers, complete
};

[[nodiscard]] PreparedRequest prepare(core::RequestTarget target, core::Method method, bool fresh);

/// Where one home's idle connection waits between attempts. Empty costs a pointer. Destroying or
/// closing it closes the connection. Must not outlive its Client.
class Lane {
public:
    Lane();
    ~Lane();
    Lane(Lane&&) noexcept;
    Lane& operator=(Lane&&) noexcept;
    void close();

private:
    friend class Client;
    struct Idle;
    std::unique_ptr<Idle> idle_;
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
    friend class Client;
    std::vector<char> bytes_;
    std::size_t body_begin_ = 0;
    std::size_t body_size_ = 0;
};

struct FetchOptions {
    BodyUse body = BodyUse::Discard;
    std::size_t max_body_bytes = 65536;
};

struct ClientSettings {
    std::vector<std::string> deny_addresses;  ///< CIDR; empty denies nothing
    bool allow_loopback = false;
    std::vector<std::string> ca_files;        ///< trusted besides the system roots
    std::string dns_servers;                  ///< HOST:PORT,...; empty: resolv.conf
    std::string resolv_conf;                  ///< empty: /etc/resolv.conf
    std::size_t max_idle_connections = 4096;  ///< of this reactor; the oldest goes first
    core::Duration connection_max_age = std::chrono::seconds(30);
};

/// The default of `--deny-addresses` (design.md section 5).
[[nodiscard]] std::vector<std::string> default_deny_addresses();

class Client {
public:
    /// Problem: a CIDR, a CA file or a name server that cannot be used, named.
    [[nodiscard]] static core::Result<std::unique_ptr<Client>> create(
        asio::io_context& io, const ClientSettings& settings);
    ~Client();

    /// Never throws. Returns when the connection is closed or back in the lane, so that the permit
    /// may be given back. `outcome.report` is left to the caller, who has `buffer.body()`.
    Awaitable<core::AttemptOutcome> fetch(std::shared_ptr<const PreparedRequest> request,
                                          FetchOptions options,
                                          Lane* lane,
                                          Operation* operation,
                                          FetchBuffer* buffer);

    /// Reads the CA files again; on failure the old trust store stays.
    [[nodiscard]] std::optional<core::Problem> reload_trust();

    /// Lookups, waiters and watches end; must be awaited before destruction.
    Awaitable<void> stop();

private:
    struct State;
    explicit Client(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace ome::net
