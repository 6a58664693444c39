// One blocking GET of a command line tool to the local API. Not for observations: it knows no
// address policy and reads whole bodies.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ome::net {

/// What a protected API asks for.
struct LocalAccess {
    std::string token;                  ///< of `Authorization: Bearer`; empty: none. A secret
    std::vector<std::string> ca_files;  ///< trusted besides the system roots
};

struct LocalUrl {
    std::string text;  ///< as given, for messages
    std::string host;  ///< a name or an IP literal without brackets; empty for a Unix socket
    std::uint16_t port = 0;
    std::string unix_path;
    bool https = false;
    LocalAccess access;         ///< empty until somebody fills it in
    std::string tls_name = {};  ///< whom the certificate must name; empty: the host
    std::string user_agent = "ome-trafficmap/" OME_VERSION;  ///< of a LocalConnection
};

/// `http://HOST:PORT`, `https://HOST:PORT` or `unix:/path`. Problem: the text and the rule.
[[nodiscard]] core::Result<LocalUrl> parse_local_url(std::string_view text);

struct LocalLimits {
    core::Duration timeout = std::chrono::seconds(5);  ///< over lookup, connect, request and answer
    std::size_t max_body_bytes = 64 * 1024 * 1024;
};

struct LocalReply {
    unsigned status = 0;
    std::string body;
};

/// `target`: path and query, already escaped. Problem: that the server cannot be reached or
/// understood, with the URL and the reason; an HTTP error is a reply.
[[nodiscard]] core::Result<LocalReply> get_locally(const LocalUrl& url,
                                                   const std::string& target,
                                                   const LocalLimits& limits = {});

}  // namespace ome::net
