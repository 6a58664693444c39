// c-ares on a reactor's loop: one query for one family at a time, answered by a callback. Sharing,
// caching and waiting are the resolver's (resolver.hpp).
#pragma once

#include "timer.hpp"
#include <ome/core/address_policy.hpp>
#include <ome/core/problem.hpp>
#include <ome/net/awaitable.hpp>

#include <ares.h>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ome::net {

struct DnsAnswer {
    int status = ARES_ENODATA;  ///< of c-ares
    std::vector<core::IpAddress> addresses = {};
    std::chrono::seconds ttl{0};
};

struct DnsSettings {
    std::string servers = {};      ///< HOST:PORT,...; empty: those of `resolv_conf`
    std::string resolv_conf = {};  ///< empty: the system's
};

/// Problem: a name server or a file that cannot be used, named.
[[nodiscard]] std::optional<core::Problem> check(const DnsSettings& settings);

class DnsChannel : public std::enable_shared_from_this<DnsChannel> {
public:
    [[nodiscard]] static core::Result<std::shared_ptr<DnsChannel>> create(
        asio::io_context& io, const DnsSettings& settings);

    /// Answers what is still pending with ARES_EDESTRUCTION. Never from within a callback.
    ~DnsChannel();
    DnsChannel(const DnsChannel&) = delete;
    DnsChannel& operator=(const DnsChannel&) = delete;

    /// Called exactly once, perhaps before query() returns, perhaps by the destructor; it may not
    /// touch the channel.
    using Done = std::function<void(DnsAnswer)>;
    void query(const std::string& host, int family, Done done);  ///< the name as it is

    [[nodiscard]] std::size_t pending() const { return pending_; }

    /// Domains in which to look for a name that is not absolute.
    [[nodiscard]] const std::vector<std::string>& search_list() const { return search_list_; }

private:
    struct Query;
    struct Watched;

    explicit DnsChannel(asio::io_context& io);

    [[nodiscard]] int start(const DnsSettings& settings);
    void read_search_list(ares_options options, int mask);

    static void on_socket(void* self, ares_socket_t socket, int readable, int writable);
    static void on_answer(void* query, int status, int timeouts, ares_addrinfo* found);

    void watch(ares_socket_t socket, bool read, bool write);
    void wait(Watched& watched, bool write);
    void ready(ares_socket_t socket, std::uint64_t id, bool write);
    void arm_timer();

    asio::io_context& io_;
    Timer timer_;
    ares_channel channel_ = nullptr;
    std::unordered_map<ares_socket_t, std::unique_ptr<Watched>> watched_;
    std::uint64_t next_id_ = 0;
    std::size_t pending_ = 0;
    std::vector<std::string> search_list_;
};

}  // namespace ome::net
