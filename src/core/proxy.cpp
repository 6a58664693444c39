#include <ome/core/base64.hpp>
#include <ome/core/proxy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ome::core {
namespace {

constexpr std::string_view http_scheme = "http://";
constexpr std::string_view local_name = "localhost";
constexpr auto npos = std::string_view::npos;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    return out;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == npos ? std::string_view()
                         : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, port);
    const bool good = error == std::errc() && stopped == end && port != 0;
    return good ? std::optional(port) : std::nullopt;
}

bool is_bracketed(std::string_view host) {
    return host.size() > 2 && host.front() == '[' && host.back() == ']';
}

struct HostPort {
    std::string_view host;  ///< without brackets
    std::optional<std::string_view> port;
};

/// `name`, `name:80`, `[v6]`, `[v6]:80` or a bare v6 address.
HostPort split(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const bool bare_v6 = text.find(':') != colon && text.front() != '[';
    const bool no_port = colon == npos || bare_v6 || text.back() == ']';
    HostPort parts{no_port ? text : text.substr(0, colon), std::nullopt};
    if (!no_port) {
        parts.port = text.substr(colon + 1);
    }
    if (is_bracketed(parts.host)) {
        parts.host = parts.host.substr(1, parts.host.size() - 2);
    }
    return parts;
}

bool is_host(std::string_view host) {
    return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
        return c > ' ' && c < '\x7f' && c != '/' && c != '@' && c != '"' && c != '[' && c != ']';
    });
}

/// Percent-escapes resolved; absent: a malformed one.
std::optional<std::string> unescaped(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        unsigned value = 0;
        const std::string_view digits = text.substr(at + 1, 2);
        const auto [stopped, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (error != std::errc() || stopped != digits.data() + 2) {
            return std::nullopt;
        }
        out += static_cast<char>(value);
        at += 2;
    }
    return out;
}

/// Of `user:password`; absent: a malformed escape.
std::optional<std::string> basic_credentials(std::string_view userinfo) {
    const std::size_t colon = userinfo.find(':');
    const auto user = unescaped(userinfo.substr(0, colon));
    const auto password = unescaped(colon == npos ? "" : userinfo.substr(colon + 1));
    if (!user || !password) {
        return std::nullopt;
    }
    return "Basic " + base64(*user + ":" + *password);
}

Problem bad_proxy(std::string_view variable, std::string_view text) {
    const std::size_t at = text.rfind('@');  // whatever stands before it may be a secret
    const std::string shown = at == npos ? std::string(text) : "***" + std::string(text.substr(at));
    return {fmt::format("{} \"{}\" must be http://[USER:PASSWORD@]HOST[:PORT]", variable, shown),
            std::string(variable)};
}

/// `http://` may be left out, as other programs allow.
Result<std::shared_ptr<const Proxy>> parse_proxy(std::string_view variable, std::string_view text) {
    if (text.empty()) {
        return std::shared_ptr<const Proxy>();
    }
    std::string_view rest = text;
    if (lower(rest.substr(0, http_scheme.size())) == http_scheme) {
        rest.remove_prefix(http_scheme.size());
    }
    if (rest.ends_with('/')) {
        rest.remove_suffix(1);
    }
    auto proxy = std::make_shared<Proxy>();
    if (const std::size_t at = rest.rfind('@'); at != npos) {
        const auto credentials = basic_credentials(rest.substr(0, at));
        if (!credentials) {
            return bad_proxy(variable, text);
        }
        proxy->authorization = *credentials;
        rest.remove_prefix(at + 1);
    }
    const HostPort place = rest.empty() ? HostPort() : split(rest);
    const auto port = place.port ? parse_port(*place.port) : std::optional<std::uint16_t>(80);
    const bool v6 = place.host.find(':') != npos;
    if (!port || !is_host(place.host) || (v6 && !parse_address(place.host))) {
        return bad_proxy(variable, text);
    }
    proxy->host = lower(place.host);
    proxy->port = *port;
    return std::shared_ptr<const Proxy>(std::move(proxy));
}

Problem bad_exception(std::string_view text) {
    return {fmt::format("NO_PROXY \"{}\" must be *, a name, an address or a network such as "
                        "10.0.0.0/8, names and addresses with or without a port",
                        text),
            "NO_PROXY"};
}

/// Unlike parse_cidr() it lets bits behind the prefix pass, as others who read NO_PROXY do.
std::optional<Cidr> parse_network(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto base = parse_address(text.substr(0, slash));
    unsigned bits = 0;
    const std::string_view digits = text.substr(slash + 1);
    const char* end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, bits);
    if (!base || error != std::errc() || stopped != end || bits > (base->v6 ? 128U : 32U)) {
        return std::nullopt;
    }
    return Cidr{*base, bits};
}

bool is_local(const std::string& host, const std::optional<IpAddress>& address) {
    return host.empty() || host == local_name || host.ends_with(".localhost") ||
           (address && is_loopback(*address));
}

std::string name_of(const RequestTarget& target) {
    std::string host = lower(target.host);
    if (host.ends_with('.')) {
        host.pop_back();
    }
    return host;
}

}  // namespace

std::string Proxy::shown() const {
    const bool v6 = host.find(':') != std::string::npos;
    return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<ProxyRules> ProxyRules::create(const ProxyVariables& variables) {
    ProxyRules rules;
    auto http = parse_proxy("HTTP_PROXY", trimmed(variables.http));
    if (!http) {
        return http.error();
    }
    auto https = parse_proxy("HTTPS_PROXY", trimmed(variables.https));
    if (!https) {
        return https.error();
    }
    rules.http_ = *std::move(http);
    rules.https_ = *std::move(https);
    if (const auto problem = rules.add_exceptions(variables.none)) {
        return *problem;
    }
    return rules;
}

std::optional<Problem> ProxyRules::add_exceptions(std::string_view list) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        const std::string_view member = trimmed(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
        if (member == "*") {
            all_exempt_ = true;
        } else if (!member.empty()) {
            auto exception = parse_exception(member);
            if (!exception) {
                return exception.error();
            }
            exceptions_.push_back(*std::move(exception));
        }
    }
    return std::nullopt;
}

Result<ProxyRules::Exception> ProxyRules::parse_exception(std::string_view text) {
    Exception exception;
    if (text.find('/') != npos) {
        exception.range = parse_network(text);
        return exception.range ? Result<Exception>(exception) : bad_exception(text);
    }
    const HostPort place = split(text);
    const auto port = place.port ? parse_port(*place.port) : std::optional<std::uint16_t>(0);
    std::string_view name = place.host;
    if (!port || !is_host(name)) {
        return bad_exception(text);
    }
    exception.port = *port;
    if (const auto address = parse_address(name)) {
        exception.range = Cidr{*address, address->v6 ? 128U : 32U};
        return exception;
    }
    if (name.starts_with("*.")) {
        name.remove_prefix(1);
    }
    exception.itself = !name.starts_with('.');
    exception.suffix = (exception.itself ? "." : "") + lower(name);
    return name.find('*') == npos ? Result<Exception>(exception) : bad_exception(text);
}

bool ProxyRules::is_exempt(const RequestTarget& target) const {
    const std::string host = name_of(target);
    const auto address = parse_address(host);
    if (all_exempt_ || is_local(host, address)) {
        return true;
    }
    return std::any_of(exceptions_.begin(), exceptions_.end(), [&](const Exception& exception) {
        if (exception.port != 0 && exception.port != target.port) {
            return false;
        }
        if (exception.range || address) {
            return exception.range && address && exception.range->contains(*address);
        }
        return host.ends_with(exception.suffix) ||
               (exception.itself && host == std::string_view(exception.suffix).substr(1));
    });
}

std::shared_ptr<const Proxy> ProxyRules::proxy_for(const RequestTarget& target) const {
    const auto& proxy = target.https ? https_ : http_;
    return proxy == nullptr || is_exempt(target) ? nullptr : proxy;
}

std::string ProxyRules::shown() const {
    const auto name = [](const std::shared_ptr<const Proxy>& proxy) {
        return proxy == nullptr ? std::string("none") : proxy->shown();
    };
    return fmt::format("http endpoints: {}, https endpoints: {}", name(http_), name(https_));
}

}  // namespace ome::core
