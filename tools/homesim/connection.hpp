// One client connection: what it has sent, where its answer stands.
#pragma once

#include "fleet.hpp"
#include "reply.hpp"

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ome::homesim {

enum class Phase : std::uint8_t {
    Reading,  ///< between requests, or a request has begun
    Waiting,  ///< for the latency of the step
    Sending,
    Stalled,
};

struct FreeTls {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
};

struct Connection {
    int fd = -1;
    bool control = false;
    bool deaf = false;  ///< stalled from the start: nothing is read
    bool resets_on_data = false;
    std::optional<Ending> cut = {};          ///< as soon as it is open
    std::unique_ptr<SSL, FreeTls> tls = {};  ///< absent: plain
    Home* owner = nullptr;                   ///< where the address tells
    std::uint64_t serial = 0;  ///< tells this connection from an earlier one with its descriptor
    Phase phase = Phase::Reading;
    std::string in;  ///< bytes of requests that are not begun yet

    bool in_flight = false;  ///< counted in the server's level
    bool fresh = true;       ///< no request yet
    bool wants_write = false;

    Home* home = nullptr;  ///< of the request in progress
    core::Kind kind = core::Kind::Probe;
    std::shared_ptr<const Step> step;
    Asked asked;
    Reply reply;
    std::uint64_t sent = 0;
};

/// The bytes of a reply from a position on, as far as they lie together; empty at the end.
[[nodiscard]] std::string_view bytes_at(const Reply& reply, std::uint64_t position);

enum class Sent : std::uint8_t { All, Blocked, Paused, Gone };

/// Sends what it can. Paused: one dripped byte is out, the next one waits for its time.
[[nodiscard]] Sent send_reply(Connection& connection);

enum class Received : std::uint8_t { Bytes, Gone, TooMuch };

/// Reads once, so that what arrives later is seen after the departures before it.
[[nodiscard]] Received receive(Connection& connection);

}  // namespace ome::homesim
