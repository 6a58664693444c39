#include "endpoint_parse.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace ome::core {
namespace {

template <typename T>
using Parsed = boost::system::result<T, UrlFault>;

constexpr auto npos = std::string_view::npos;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// What stands before `mark`; cuts it and the mark off `text`. Without a mark that is all of it.
std::string_view take_until(std::string_view& text, char mark) {
    const std::string_view before = text.substr(0, text.find(mark));
    text.remove_prefix(std::min(before.size() + 1, text.size()));
    return before;
}

// Cuts a scheme and its colon off the text; empty when there is none.
Parsed<std::string> take_scheme(std::string_view& text) {
    if (text.starts_with(':')) {
        return UrlFault{"missing protocol scheme", {}};
    }
    const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
    });
    if (end == text.end() || *end != ':' || !is_letter(text.front())) {
        return std::string();
    }
    std::string scheme(text.begin(), end);
    text.remove_prefix(scheme.size() + 1);
    std::transform(scheme.begin(), scheme.end(), scheme.begin(), [](char c) {
        return static_cast<char>(c | (is_letter(c) ? 0x20 : 0));
    });
    return scheme;
}

// Empty, or a colon and digits.
bool is_port(std::string_view text) {
    return text.empty() ||
           (text.front() == ':' &&
            std::all_of(text.begin() + 1, text.end(), [](char c) { return is_digit(c); }));
}

void set_port(UrlHost& host, std::string_view text) {
    host.has_port = !text.empty();
    host.port = host.has_port ? std::string(text.substr(1)) : std::string();
}

bool is_ipv6(const std::string& address) {
    std::array<unsigned char, 16> bytes{};
    return address.find('\0') == std::string::npos &&
           inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

// `inside` is what stands between the brackets: an address and perhaps `%25` and a zone.
Parsed<UrlHost> parse_ipv6(std::string_view inside) {
    const std::size_t percent = inside.find("%25");
    const auto address = unescape(inside.substr(0, percent), UrlPart::Host);
    if (!address) {
        return address.error();
    }
    UrlHost host{*address, true, {}, {}, false};
    if (percent != npos) {
        const auto zone = unescape(inside.substr(percent + 3), UrlPart::Zone);
        if (!zone) {
            return zone.error();
        }
        host.zone = *zone;
    }
    if (!is_ipv6(host.name) || (percent != npos && host.zone.empty())) {
        return UrlFault{"invalid host: {} is not an IPv6 address", inside};
    }
    return host;
}

Parsed<UrlHost> parse_bracketed(std::string_view text) {
    const std::size_t close = text.rfind(']');
    if (close == npos) {
        return UrlFault{"missing ']' in host", {}};
    }
    const std::string_view port = text.substr(close + 1);
    if (!is_port(port)) {
        return UrlFault{"invalid port {} after host", port};
    }
    auto host = parse_ipv6(text.substr(1, close - 1));
    if (host) {
        set_port(*host, port);
    }
    return host;
}

Parsed<UrlHost> parse_host(const std::string& scheme, std::string_view text) {
    if (const std::size_t open = text.rfind('['); open == 0) {
        return parse_bracketed(text);
    } else if (open != npos) {
        return UrlFault{"invalid IP-literal", {}};
    }
    // Only http and https are strict about a second colon.
    const bool strict = scheme == "http" || scheme == "https";
    const std::size_t colon = strict ? text.find(':') : text.rfind(':');
    const std::string_view port = colon == npos ? std::string_view() : text.substr(colon);
    if (!is_port(port)) {
        return UrlFault{"invalid port {} after host", port};
    }
    const auto whole = unescape(text, UrlPart::Host);
    if (!whole) {
        return whole.error();
    }
    UrlHost host{whole->substr(0, whole->size() - port.size()), false, {}, {}, false};
    set_port(host, port);
    return host;
}

bool may_stand_in_userinfo(char c) {
    constexpr std::string_view marks = "-._:~!$&'()*+,;=%@";
    return is_letter(c) || is_digit(c) || marks.find(c) != npos;
}

// User and password decoded and escaped anew, so that one pair of values has one spelling.
Parsed<std::string> parse_userinfo(std::string_view text) {
    if (!std::all_of(text.begin(), text.end(), may_stand_in_userinfo)) {
        return UrlFault{"net/url: invalid userinfo", {}};
    }
    const bool has_password = text.find(':') != npos;
    const auto user = unescape(take_until(text, ':'), UrlPart::Userinfo);
    if (!user) {
        return user.error();
    }
    const auto password = unescape(text, UrlPart::Userinfo);
    if (!password) {
        return password.error();
    }
    const std::string escaped = escape(*user, UrlPart::Userinfo);
    return has_password ? escaped + ":" + escape(*password, UrlPart::Userinfo) : escaped;
}

// The host is checked before the userinfo, although it stands behind it.
std::optional<UrlFault> parse_authority(std::string_view text, ParsedUrl& url) {
    const std::size_t at = text.rfind('@');
    auto host = parse_host(url.scheme, at == npos ? text : text.substr(at + 1));
    if (!host) {
        return host.error();
    }
    url.host = std::move(*host);
    if (at == npos) {
        return std::nullopt;
    }
    auto userinfo = parse_userinfo(text.substr(0, at));
    if (!userinfo) {
        return userinfo.error();
    }
    url.userinfo = std::move(*userinfo);
    return std::nullopt;
}

// What follows the scheme and precedes the query.
std::optional<UrlFault> parse_hierarchy(std::string_view text, ParsedUrl& url) {
    if (!text.starts_with('/')) {
        url.opaque = !url.scheme.empty();
        if (url.opaque) {
            return std::nullopt;
        }
        if (text.substr(0, text.find('/')).find(':') != npos) {
            return UrlFault{"first path segment in URL cannot contain colon", {}};
        }
    }
    const bool authority = !url.scheme.empty() || !text.starts_with("///");
    if (authority && text.starts_with("//")) {
        text.remove_prefix(2);
        const std::string_view before_path = text.substr(0, text.find('/'));
        if (auto fault = parse_authority(before_path, url)) {
            return fault;
        }
        text.remove_prefix(before_path.size());
    }
    if (const auto decoded = unescape(text, UrlPart::Path); !decoded) {
        return decoded.error();
    }
    url.path = escaped_path(text);
    return std::nullopt;
}

bool only_ascii(std::string_view text) {
    return std::all_of(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

bool UrlHost::is_ascii() const {
    return only_ascii(name) && only_ascii(zone);
}

Parsed<ParsedUrl> parse_url(std::string_view text) {
    if (const auto bad = std::find_if(text.begin(), text.end(), is_control); bad != text.end()) {
        return UrlFault{"net/url: invalid control character in URL", {bad, bad + 1}};
    }
    std::string_view fragment = text;
    std::string_view rest = take_until(fragment, '#');
    auto scheme = take_scheme(rest);
    if (!scheme) {
        return scheme.error();
    }
    ParsedUrl url;
    url.scheme = std::move(*scheme);
    std::string_view query = rest;
    const std::string_view hierarchy = take_until(query, '?');
    url.has_query = hierarchy.size() < rest.size();
    url.query = std::string(query);
    if (const auto fault = parse_hierarchy(hierarchy, url)) {
        return *fault;
    }
    if (const auto decoded = unescape(fragment, UrlPart::Fragment); !decoded) {
        return decoded.error();
    }
    return url;
}

}  // namespace ome::core
