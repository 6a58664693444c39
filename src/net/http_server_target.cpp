#include "http_server_target.hpp"

#include <ome/net/listen_address.hpp>

#include <algorithm>
#include <cctype>

namespace ome::net {
namespace {

std::optional<int> hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    if (lower >= 'a' && lower <= 'f') {
        return lower - 'a' + 10;
    }
    return std::nullopt;
}

// A NUL would end the text early for any C library further down.
std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\0') {
            return std::nullopt;
        }
        if (text[i] != '%') {
            out += plus_is_space && text[i] == '+' ? ' ' : text[i];
            continue;
        }
        const auto high = i + 2 < text.size() ? hex_value(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? hex_value(text[i + 2]) : std::nullopt;
        if (!high || !low || (*high == 0 && *low == 0)) {
            return std::nullopt;
        }
        out += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return out;
}

std::string_view cut(std::string_view& text, char at) {
    const std::size_t end = std::min(text.find(at), text.size());
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return piece;
}

bool split_path(std::string_view path, std::vector<std::string>& segments) {
    path.remove_prefix(1);
    while (!path.empty()) {
        const auto segment = decode(cut(path, '/'), false);
        if (!segment) {
            return false;
        }
        segments.push_back(*segment);
    }
    return true;
}

bool split_query(std::string_view query, RequestPlace& place) {
    while (!query.empty()) {
        std::string_view pair = cut(query, '&');
        const auto name = decode(cut(pair, '='), true);
        const auto value = decode(pair, true);
        if (!name || !value) {
            return false;
        }
        if (!name->empty()) {
            const bool is_new = place.query.insert_or_assign(*name, *value).second;
            if (!is_new && place.repeated.empty()) {
                place.repeated = *name;
            }
        }
    }
    return true;
}

// `http://authority/path` -> `/path`; a client that takes us for a proxy is answered all the same.
std::string_view strip_origin(std::string_view target, std::string& authority) {
    constexpr std::string_view scheme = "http://";
    if (!target.starts_with(scheme)) {
        return target;
    }
    target.remove_prefix(scheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    authority = target.substr(0, end);
    target.remove_prefix(end);
    return target.empty() ? "/" : target;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return out;
}

bool is_port(std::string_view text) {
    return text.empty() ||
           (text.front() == ':' &&
            std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

// `host:port` and `[v6]:port` without the port; the brackets of an IPv6 literal go too. Empty when
// anything but a port stands behind: what is taken for ours must be all that was said.
std::string without_port(std::string_view host) {
    const bool bracketed = host.starts_with('[');
    if (bracketed && host.find(']') == std::string_view::npos) {
        return {};
    }
    const std::size_t end = std::min(host.find(bracketed ? ']' : ':'), host.size());
    const std::string_view name = bracketed ? host.substr(1, end - 1) : host.substr(0, end);
    host.remove_prefix(std::min(end + (bracketed ? 1U : 0U), host.size()));
    return is_port(host) ? std::string(name) : std::string();
}

}  // namespace

std::optional<RequestPlace> parse_target(std::string_view target) {
    RequestPlace place;
    target = strip_origin(target, place.authority);
    if (target == "*") {
        place.path = "*";
        return place;
    }
    const std::string_view path = cut(target, '?');
    if (path.empty() || path.front() != '/' || !split_path(path, place.segments) ||
        !split_query(target, place)) {
        return std::nullopt;
    }
    place.path = path;
    return place;
}

bool host_allowed(std::string_view host_header,
                  std::string_view local_address,
                  const std::vector<std::string>& allowed_hosts) {
    const std::string full = lower(host_header);
    const std::string host = without_port(full);
    // A zone is no part of a name: `[::1%25elsewhere]` is said by nobody who means this host.
    if (host.empty() || host.find('%') != std::string::npos) {
        return false;
    }
    return host == "localhost" || is_loopback_literal(host) || host == local_address ||
           std::any_of(allowed_hosts.begin(), allowed_hosts.end(), [&](const std::string& allowed) {
               return lower(allowed) == full || lower(allowed) == host;
           });
}

}  // namespace ome::net
