#include "endpoint_mask.hpp"
#include "endpoint_parse.hpp"
#include <ome/core/endpoint.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace ome::core {
namespace {

// The text in quotes, its userinfo masked. Masked first: quoting would move the span.
std::string shown(std::string_view url, Span secret) {
    return quote_foreign(mask_span(url, secret));
}

Problem unusable(std::string_view url, std::string_view rule) {
    return {fmt::format("endpoint URL {} must {}", shown(url, userinfo_span(url)), rule)};
}

// The message names the URL up to its fragment, unless the fault lies there; and no part of a
// password, be it in the URL or in the piece that is at fault.
Problem unparsable(std::string_view url, UrlFault fault) {
    const Span secret = userinfo_span(url);
    const std::size_t fragment = std::min(url.find('#'), url.size());
    const bool located = !fault.piece.empty();
    const std::size_t at = located ? static_cast<std::size_t>(fault.piece.data() - url.data()) : 0;
    const bool cut = at < fragment && secret.end < fragment;
    if (located && at >= secret.begin && at < secret.end) {
        fault.piece = "***";
    }
    return {fmt::format("parse endpoint URL: parse {}: {}",
                        shown(url.substr(0, cut ? fragment : url.size()), secret),
                        to_message(fault))};
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    });
    return text;
}

// Resolves `.` and `..` and drops repeated and trailing slashes, on the escaped text: `%2F` and
// `%2E` are ordinary bytes here. The root becomes empty.
std::string clean_path(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const std::string_view segment = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(segment.size() + 1, path.size()));
        if (segment == "..") {
            out.resize(out.empty() ? 0 : out.rfind('/'));
        } else if (!segment.empty() && segment != ".") {
            out.append("/").append(segment);
        }
    }
    return out;
}

std::string host_text(const UrlHost& host) {
    if (!host.bracketed) {
        return escape(host.name, UrlPart::Host);
    }
    const std::string zone = host.zone.empty() ? "" : "%25" + escape(host.zone, UrlPart::Host);
    return "[" + host.name + zone + "]";
}

std::string query_text(const Endpoint& endpoint) {
    return endpoint.has_query ? "?" + endpoint.query : std::string();
}

// Everything before the path.
std::string origin_text(const ParsedUrl& url) {
    std::string out = url.scheme + "://";
    if (url.userinfo) {
        out += *url.userinfo + "@";
    }
    out += host_text(url.host);
    return url.host.has_port ? out + ":" + url.host.port : out;
}

Endpoint canonical_endpoint(ParsedUrl url) {
    url.host.name = lower(std::move(url.host.name));
    url.host.zone = lower(std::move(url.host.zone));
    Endpoint endpoint;
    endpoint.https = url.scheme == "https";
    endpoint.userinfo = url.userinfo.value_or("");
    endpoint.host = host_text(url.host);
    endpoint.port = url.host.port;
    endpoint.path = clean_path(url.path);
    endpoint.query = url.query;
    endpoint.has_query = url.has_query;
    endpoint.canonical = origin_text(url) + endpoint.path + query_text(endpoint);
    return endpoint;
}

// What a request line can carry: a query may hold spaces and bytes above ASCII, which stay in the
// identity but not on the wire.
std::string wire_query(const Endpoint& endpoint) {
    std::string out;
    for (const char c : query_text(endpoint)) {
        const bool plain = c > ' ' && c < 0x7f;
        out += plain ? std::string(1, c) : escape({&c, 1}, UrlPart::Path);
    }
    return out;
}

std::uint32_t port_number(const Endpoint& endpoint) {
    std::uint32_t port = endpoint.https ? 443 : 80;
    const char* const end = endpoint.port.data() + endpoint.port.size();
    if (std::from_chars(endpoint.port.data(), end, port).ec == std::errc::result_out_of_range) {
        return std::numeric_limits<std::uint32_t>::max();
    }
    return port;
}

// Fills in whom to dial and what to call it.
void set_host(RequestTarget& target, const Endpoint& endpoint) {
    const bool bracketed = endpoint.host.starts_with('[');
    std::string_view name = endpoint.host;
    if (bracketed) {
        const std::string_view inside = name.substr(1, name.size() - 2);
        name = inside.substr(0, inside.find("%25"));
        target.zone =
            *unescape(inside.substr(std::min(name.size() + 3, inside.size())), UrlPart::Zone);
    }
    target.host = *unescape(name, UrlPart::Host);
    target.port = port_number(endpoint);
    target.host_header = bracketed ? "[" + target.host + "]" : target.host;
    if (target.port != (endpoint.https ? 443U : 80U)) {
        target.host_header += ":" + endpoint.port;
    }
}

// The two paths behind one another, lexically clean, with the trailing slash of the second.
std::string joined_path(std::string_view base, std::string_view path) {
    std::string out = clean_path(std::string(base) + "/" + std::string(path));
    const bool climbed_to_root = out.empty() && !base.empty();
    if (path.ends_with('/') || climbed_to_root) {
        out += '/';
    }
    return out;
}

}  // namespace

Result<Endpoint> canonicalize(std::string_view url) {
    auto parsed = parse_url(url);
    if (!parsed) {
        return unparsable(url, parsed.error());
    }
    if (parsed->scheme.empty() || parsed->opaque || parsed->host.empty()) {
        return unusable(url, "be absolute");
    }
    if (parsed->scheme != "http" && parsed->scheme != "https") {
        return unusable(url, "use HTTP or HTTPS");
    }
    if (!parsed->host.is_ascii()) {
        return unusable(url, "have an ASCII host");
    }
    return canonical_endpoint(std::move(*parsed));
}

bool has_host(std::string_view url) {
    const auto parsed = parse_url(url);
    return parsed && !parsed->host.empty();
}

std::string host_name(std::string_view url) {
    auto parsed = parse_url(url);
    return parsed ? std::move(parsed->host.name) : std::string();
}

Result<RequestTarget> join(const Endpoint& endpoint, std::string_view path) {
    const std::string joined = joined_path(endpoint.path, path);
    if (const auto decoded = unescape(joined, UrlPart::Path); !decoded) {
        return Problem{to_message(decoded.error())};
    }
    const std::string escaped = escaped_path(joined);
    const std::string query = query_text(endpoint);
    const std::size_t origin = endpoint.canonical.size() - endpoint.path.size() - query.size();
    RequestTarget target;
    target.url = endpoint.canonical.substr(0, origin) + escaped + query;
    target.https = endpoint.https;
    target.target = (escaped.empty() ? "/" : escaped) + wire_query(endpoint);
    set_host(target, endpoint);
    return target;
}

}  // namespace ome::core
