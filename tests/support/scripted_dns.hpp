// A name server on loopback (UDP, and TCP for what was cut) that answers as a test says.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ome::test {

struct DnsReply {
    std::vector<std::string> addresses = {};  ///< of the family that was asked for
    std::uint32_t ttl = 30;
    std::uint8_t rcode = 0;  ///< 2 SERVFAIL, 3 NXDOMAIN
    bool silent = false;
    bool truncated = false;  ///< over UDP: nothing but the flag; the answer comes over TCP
    std::chrono::milliseconds delay{0};  ///< holds up later queries too
};

class ScriptedDns {
public:
    using Zone = std::function<DnsReply(const std::string& name, bool v6)>;

    explicit ScriptedDns(Zone zone);
    ~ScriptedDns();
    ScriptedDns(const ScriptedDns&) = delete;
    ScriptedDns& operator=(const ScriptedDns&) = delete;

    /// For `--dns-servers`.
    [[nodiscard]] std::string address() const;
    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// Names asked for, in order, with ` A` or ` AAAA`.
    [[nodiscard]] std::vector<std::string> queries() const;

private:
    void serve_udp();
    void serve_tcp();
    [[nodiscard]] std::string reply_to(const std::string& query, bool udp);

    Zone zone_;
    int udp_ = -1;
    int tcp_ = -1;
    std::uint16_t port_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> queries_;
    std::thread udp_thread_;
    std::thread tcp_thread_;
};

}  // namespace ome::test
