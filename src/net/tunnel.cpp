#include "tunnel.hpp"

#include "exchange.hpp"

#include <fmt/format.h>

#include <vector>

namespace ome::net {
namespace {

std::string connect_request(const core::Proxy& proxy, const core::RequestTarget& target) {
    const bool v6 = target.host.find(':') != std::string::npos;
    const std::string authority = v6 ? fmt::format("[{}]:{}", target.host, target.port)
                                     : fmt::format("{}:{}", target.host, target.port);
    return fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\nUser-Agent: ome-observer/" OME_VERSION
                       "\r\n{1}\r\n",
                       authority,
                       authorization_line(proxy));
}

}  // namespace

std::string authorization_line(const core::Proxy& proxy) {
    return proxy.authorization.empty()
               ? std::string()
               : fmt::format("Proxy-Authorization: {}\r\n", proxy.authorization);
}

Awaitable<std::string> open_tunnel(Connection& connection,
                                   const core::Proxy& proxy,
                                   const core::RequestTarget& target,
                                   Operation& operation) {
    std::vector<char> buffer;
    const std::string request = connect_request(proxy, target);
    // As after a HEAD, no body follows; what comes next belongs to the peer behind the proxy.
    Exchange exchange(connection, request, true, buffer, 0);
    Exchange::Step step = exchange.advance_to_head();
    while (step == Exchange::Step::Blocked) {
        const bool ready = co_await connection.wait(operation);
        step = ready ? exchange.advance_to_head() : exchange.break_off();
    }
    if (step != Exchange::Step::Done) {
        co_return exchange.problem();
    }
    const std::int32_t status = exchange.head().status;
    if (status < 200 || status > 299) {
        co_return fmt::format("CONNECT was answered with HTTP {}", status);
    }
    if (exchange.has_surplus()) {
        co_return "bytes came before the TLS handshake";
    }
    co_return std::string();
}

}  // namespace ome::net
