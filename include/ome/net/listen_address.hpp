// Where a server listens or a local client connects, taken apart but not looked up.
#pragma once

#include <ome/core/problem.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::net {

struct ListenAddress {
    std::string host;        ///< an IP literal without brackets; empty for a Unix socket
    std::uint16_t port = 0;  ///< 0: the kernel picks one
    std::string unix_path;   ///< absolute; empty for TCP

    [[nodiscard]] bool is_unix() const { return !unix_path.empty(); }
    /// A Unix socket counts: nothing beyond this machine reaches it.
    [[nodiscard]] bool is_local() const;
};

/// `HOST:PORT`, `[v6]:PORT` or `unix:/path`. HOST is an IP literal or `localhost` (127.0.0.1): a
/// name that needs a lookup could mean another address tomorrow. Problem: the text and the rule.
[[nodiscard]] core::Result<ListenAddress> parse_listen_address(std::string_view text);

/// The spelling that parse_listen_address() takes.
[[nodiscard]] std::string to_string(const ListenAddress& address);

/// 127.0.0.0/8 or ::1, as a literal without brackets; a name is never a loopback address.
[[nodiscard]] bool is_loopback_literal(const std::string& host);

}  // namespace ome::net
