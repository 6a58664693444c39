#include "settings_rules.hpp"

#include <ome/core/text.hpp>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace ome::observer::rules {
namespace {

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

// The rule, and which one of several breaks it; absent when none does.
Broken each(const Texts& texts, bool (*fits)(const std::string&), std::string_view rule) {
    const auto bad = std::find_if_not(texts.begin(), texts.end(), fits);
    if (bad == texts.end()) {
        return std::nullopt;
    }
    return texts.size() == 1 ? std::string(rule)
                             : fmt::format("{}; number {}, {}, is none",
                                           rule,
                                           bad - texts.begin() + 1,
                                           core::go_quote(*bad));
}

}  // namespace

Broken networks(const Texts& texts, std::vector<std::string>& out) {
    if (auto broken = each(texts, is_network, "must be networks such as 10.0.0.0/8 or fd00::/8")) {
        return broken;
    }
    out = texts;
    return std::nullopt;
}

Broken name_servers(const Texts& texts, std::string& out) {
    if (auto broken =
            each(texts,
                 is_name_server,
                 "must be IP addresses, each with or without a port (10.0.0.2:53, [fd00::2]:53)")) {
        return broken;
    }
    out = fmt::format("{}", fmt::join(texts, ","));
    return std::nullopt;
}

Broken hosts(const Texts& texts, std::vector<std::string>& out) {
    if (auto broken = each(texts,
                           is_host_name,
                           "must be host names, each with or without a port, without wildcards")) {
        return broken;
    }
    out = texts;
    return std::nullopt;
}

}  // namespace ome::observer::rules
