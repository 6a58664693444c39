// A blocking client for tests: one request, one answer, no library in common with what is tested.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace ome::test {

/// A socket that says exactly what it is told.
class RawClient {
public:
    /// To loopback, or to another IPv4 address that is this machine's.
    explicit RawClient(std::uint16_t port, const std::string& address = "127.0.0.1");
    ~RawClient();
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    [[nodiscard]] bool connected() const { return fd_ >= 0; }
    bool send(std::string_view bytes) const;
    /// What has come until `wanted` is in it, the peer closed, or the time is over.
    [[nodiscard]] std::string read_until(
        std::string_view wanted, std::chrono::milliseconds timeout = std::chrono::seconds(5));
    /// True when the peer closes (or resets) within the time; what it sends before is dropped.
    [[nodiscard]] bool closed_by_peer(std::chrono::milliseconds timeout = std::chrono::seconds(5));
    void close();
    /// With a RST.
    void reset();

private:
    [[nodiscard]] bool wait_readable(std::chrono::steady_clock::time_point until) const;

    int fd_ = -1;
    std::string unread_;
};

struct HttpReply {
    int status = 0;  ///< 0: no complete answer
    std::string head;
    std::string body;
};

/// Whom to ask, and as whom.
struct HttpPeer {
    std::uint16_t port = 0;
    std::string address = "127.0.0.1";
    std::string host = "127.0.0.1";  ///< of the header
};

/// On a connection of its own, with `Connection: close`.
[[nodiscard]] HttpReply http_call(const HttpPeer& peer,
                                  std::string_view method,
                                  std::string_view target,
                                  std::string_view body = {},
                                  std::chrono::milliseconds timeout = std::chrono::seconds(5));
[[nodiscard]] HttpReply http_call(std::uint16_t port,
                                  std::string_view method,
                                  std::string_view target,
                                  std::string_view body = {},
                                  std::chrono::milliseconds timeout = std::chrono::seconds(5));

}  // namespace ome::test
