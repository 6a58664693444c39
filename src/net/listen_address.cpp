#include <ome/net/listen_address.hpp>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>
#include <sys/un.h>

#include <charconv>
#include <optional>

namespace ome::net {
namespace {

constexpr std::string_view unix_scheme = "unix:";

core::Problem bad(std::string_view text, std::string_view rule) {
    return {fmt::format("listen address \"{}\" {}", text, rule), "listen"};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
        return std::nullopt;
    }
    return port;
}

core::Result<ListenAddress> parse_unix(std::string_view text) {
    const std::string_view path = text.substr(unix_scheme.size());
    if (path.empty() || path.front() != '/') {
        return bad(text, "must give an absolute path after unix:");
    }
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        return bad(
            text,
            fmt::format("has a path longer than {} bytes", sizeof(sockaddr_un::sun_path) - 1));
    }
    ListenAddress address;
    address.unix_path = path;
    return address;
}

// `[v6]` needs its brackets and nothing else may have any.
std::optional<std::string> parse_host(std::string_view text) {
    if (text == "localhost") {
        return "127.0.0.1";
    }
    const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
    const std::string host(bracketed ? text.substr(1, text.size() - 2) : text);
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(host, error);
    if (error || address.is_v6() != bracketed) {
        return std::nullopt;
    }
    return host;
}

}  // namespace

bool ListenAddress::is_local() const {
    return is_unix() || is_loopback_literal(host);
}

core::Result<ListenAddress> parse_listen_address(std::string_view text) {
    if (text.starts_with(unix_scheme)) {
        return parse_unix(text);
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return bad(text, "must be HOST:PORT, [IPv6]:PORT or unix:/path");
    }
    const auto host = parse_host(text.substr(0, colon));
    if (!host) {
        return bad(text, "must have an IP address (IPv6 in brackets) or localhost as its host");
    }
    const auto port = parse_port(text.substr(colon + 1));
    if (!port) {
        return bad(text, "must have a port from 0 to 65535");
    }
    ListenAddress address;
    address.host = *host;
    address.port = *port;
    return address;
}

std::string to_string(const ListenAddress& address) {
    if (address.is_unix()) {
        return fmt::format("{}{}", unix_scheme, address.unix_path);
    }
    const bool v6 = address.host.find(':') != std::string::npos;
    return v6 ? fmt::format("[{}]:{}", address.host, address.port)
              : fmt::format("{}:{}", address.host, address.port);
}

bool is_loopback_literal(const std::string& host) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(host, error);
    return !error && address.is_loopback();
}

}  // namespace ome::net
