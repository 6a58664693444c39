// Which requests go through a proxy, when the operator asked for that (`--proxy-from-environment`,
// design.md D3). Decided from texts alone; whoever calls reads the environment.
#pragma once

#include <ome/core/address_policy.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/problem.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// A proxy that is spoken to over plain TCP.
struct Proxy {
    std::string host;  ///< a name, or an address without brackets
    std::uint16_t port = 0;
    std::string authorization;  ///< of `Proxy-Authorization`; empty: none. A secret: never shown

    /// `host:port`, for logs and messages.
    [[nodiscard]] std::string shown() const;
};

/// The variables by their meaning; empty: not set.
struct ProxyVariables {
    std::string http;   ///< HTTP_PROXY: for endpoints with http
    std::string https;  ///< HTTPS_PROXY: for endpoints with https
    std::string none;   ///< NO_PROXY
};

class ProxyRules {
public:
    /// No proxy for anything.
    ProxyRules() = default;

    /// Problem: the variable, its value (without secrets) and the rule.
    [[nodiscard]] static Result<ProxyRules> create(const ProxyVariables& variables);

    /// Null: straight to the endpoint, as always for loopback. Shared by all requests that use it.
    [[nodiscard]] std::shared_ptr<const Proxy> proxy_for(const RequestTarget& target) const;

    /// One line for the log: which proxy serves what.
    [[nodiscard]] std::string shown() const;

private:
    /// One member of NO_PROXY.
    struct Exception {
        std::optional<Cidr> range;  ///< of endpoints that are addresses
        std::string suffix;         ///< `.example.com`; empty for a range
        bool itself = false;        ///< `example.com` too, and not only what is below it
        std::uint32_t port = 0;     ///< 0: any
    };

    [[nodiscard]] std::optional<Problem> add_exceptions(std::string_view list);
    [[nodiscard]] static Result<Exception> parse_exception(std::string_view text);
    [[nodiscard]] bool is_exempt(const RequestTarget& target) const;

    std::shared_ptr<const Proxy> http_;
    std::shared_ptr<const Proxy> https_;
    std::vector<Exception> exceptions_;
    bool all_exempt_ = false;
};

}  // namespace ome::core
