// A home's endpoint: its canonical form, which is part of its identity, and the request that goes
// there. Rules and texts: contract/observer.md 3 and 4.
#pragma once

#include <ome/core/problem.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::core {

/// An endpoint in canonical form, and the parts the canonical text is made of. All parts are in
/// their escaped spelling: a path that is a valid spelling already stays as written, any other is
/// decoded and escaped anew as a whole, and userinfo always is, as the reference does it.
struct Endpoint {
    std::string canonical;
    bool https = false;
    std::string userinfo;  ///< without the `@`; kept for identity, never sent (D4)
    std::string
        host;  ///< lower case, as in the text: with brackets and `%25zone` for IPv6; may be empty
    std::string port;        ///< digits as written, empty when absent
    std::string path;        ///< begins with `/`, or empty
    std::string query;       ///< without the `?`
    bool has_query = false;  ///< true also for a bare `?`
};

/// The canonical form, or why there is none: the message of contract/observer.md 3, userinfo
/// masked, long inputs cut so that it fits where readers take 4,096 bytes.
[[nodiscard]] Result<Endpoint> canonicalize(std::string_view url);

/// Whether the text is a URL that names a host, whatever its scheme: what makes a candidate a home
/// (contract/trafficmap.md 2). Some such texts cannot be canonicalized: `//h.example`.
[[nodiscard]] bool has_host(std::string_view url);

/// That host as it is to be looked up: unescaped, without port, brackets and zone, letters as they
/// are; empty when there is none.
[[nodiscard]] std::string host_name(std::string_view url);

/// Where a request goes and what its first line and Host header say.
struct RequestTarget {
    std::string url;  ///< the joined URL, userinfo included; for identity and tests, not for people
    bool https = false;
    std::string host;         ///< to look up or dial: unescaped, no brackets, no zone
    std::string zone;         ///< IPv6 zone, unescaped; usually empty
    std::uint32_t port = 0;   ///< default filled in; above 65535 cannot be dialled
    std::string host_header;  ///< with brackets, without zone and default port (D16)
    std::string target;       ///< origin form: path and query
};

/// Joins a policy's path to an endpoint (contract/observer.md 4). Fails on a malformed
/// percent-escape: `invalid URL escape "%zz"`; the prefixes of an observation are the caller's.
[[nodiscard]] Result<RequestTarget> join(const Endpoint& endpoint, std::string_view path);

/// The text with any userinfo of a URL in it replaced by `***` (D4); for logs, messages and the
/// API. Exact for usable URLs; of others it takes too much rather than too little, up to the last
/// `@`. Masking twice changes nothing.
[[nodiscard]] std::string mask_userinfo(std::string_view text);

}  // namespace ome::core
