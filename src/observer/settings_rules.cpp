#include "settings_rules.hpp"

#include <ome/core/duration.hpp>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace ome::observer::rules {
namespace {

std::optional<std::int64_t> to_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
    return whole ? std::optional(value) : std::nullopt;
}

// The bits of an address, or 0 when the text is none.
int address_bits(const std::string& text) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
        return 32;
    }
    return ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1 ? 128 : 0;
}

bool is_network(const std::string& text) {
    const std::size_t slash = text.find('/');
    const int bits = address_bits(text.substr(0, slash));
    if (bits == 0 || slash == std::string::npos) {
        return false;
    }
    const auto prefix = to_number(std::string_view(text).substr(slash + 1));
    return prefix && *prefix >= 0 && *prefix <= bits;
}

// `IP`, `IP:PORT` or `[v6]:PORT`.
bool is_name_server(const std::string& text) {
    if (address_bits(text) != 0) {
        return true;
    }
    const auto parsed = net::parse_listen_address(text);
    return parsed && !parsed->is_unix() && parsed->port != 0 && !text.starts_with("localhost");
}

bool is_host_name(const std::string& text) {
    return text.size() <= 260 && std::all_of(text.begin(), text.end(), [](char c) {
               return c > ' ' && c < '\x7f' && c != '/' && c != '@' && c != '*';
           });
}

}  // namespace

Broken number(const Texts& texts, std::int64_t least, std::int64_t most, std::int64_t& out) {
    const auto value = to_number(texts.front());
    if (!value || *value < least || *value > most) {
        return fmt::format("must be a whole number from {} to {}", least, most);
    }
    out = *value;
    return std::nullopt;
}

Broken duration(const Texts& texts,
                core::Duration least,
                core::Duration most,
                core::Duration& out) {
    const auto value = core::parse_duration(texts.front());
    if (!value || *value < least || *value > most) {
        return fmt::format("must be a duration such as 500ms, 30s or 5m, from {} to {}",
                           core::format_duration(least),
                           core::format_duration(most));
    }
    out = *value;
    return std::nullopt;
}

Broken duration_or_off(const Texts& texts, core::Duration least, core::Duration& out) {
    if (core::parse_duration(texts.front()) == core::Duration::zero()) {
        out = core::Duration::zero();
        return std::nullopt;
    }
    const auto broken = duration(texts, least, core::Duration::max(), out);
    return broken ? std::optional(*broken + ", or 0s for never") : std::nullopt;
}

Broken truth(const Texts& texts, bool& out) {
    const std::string& text = texts.front();
    if (text != "true" && text != "false") {
        return "must be true or false";
    }
    out = text == "true";
    return std::nullopt;
}

Broken choice(const Texts& texts, const std::vector<std::string_view>& choices, std::size_t& out) {
    const auto found = std::find(choices.begin(), choices.end(), texts.front());
    if (found == choices.end()) {
        return fmt::format("must be one of {}", fmt::join(choices, ", "));
    }
    out = static_cast<std::size_t>(found - choices.begin());
    return std::nullopt;
}

Broken address(const Texts& texts, net::ListenAddress& out) {
    const auto parsed = net::parse_listen_address(texts.front());
    if (!parsed) {
        return "must be IP:PORT, [IPv6]:PORT, localhost:PORT or unix:/path";
    }
    out = *parsed;
    return std::nullopt;
}

Broken networks(const Texts& texts, std::vector<std::string>& out) {
    if (!std::all_of(texts.begin(), texts.end(), is_network)) {
        return "must be networks such as 10.0.0.0/8 or fd00::/8";
    }
    out = texts;
    return std::nullopt;
}

Broken name_servers(const Texts& texts, std::string& out) {
    if (!std::all_of(texts.begin(), texts.end(), is_name_server)) {
        return "must be IP addresses, each with or without a port (10.0.0.2:53, [fd00::2]:53)";
    }
    out = fmt::format("{}", fmt::join(texts, ","));
    return std::nullopt;
}

Broken hosts(const Texts& texts, std::vector<std::string>& out) {
    if (!std::all_of(texts.begin(), texts.end(), is_host_name)) {
        return "must be host names, each with or without a port, without wildcards";
    }
    out = texts;
    return std::nullopt;
}

}  // namespace ome::observer::rules
