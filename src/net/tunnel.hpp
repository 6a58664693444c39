// Through an HTTP proxy to a TLS peer (RFC 9110 9.3.6).
#pragma once

#include "connection.hpp"
#include <ome/core/endpoint.hpp>
#include <ome/core/proxy.hpp>

#include <string>

namespace ome::net {

/// With its line end; empty when the proxy wants no credentials.
[[nodiscard]] std::string authorization_line(const core::Proxy& proxy);

/// On a connection to the proxy. Why there is no tunnel; empty when there is one, or the operation
/// ended.
Awaitable<std::string> open_tunnel(Connection& connection,
                                   const core::Proxy& proxy,
                                   const core::RequestTarget& target,
                                   Operation& operation);

}  // namespace ome::net
