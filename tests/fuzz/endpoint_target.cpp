#include "require.hpp"
#include "targets.hpp"
#include <ome/core/endpoint.hpp>

#include <algorithm>
#include <string>

namespace ome::fuzz {
namespace {

/// A request line and a Host field that hold more than themselves are request splitting.
void require_one_token(std::string_view text) {
    require(std::all_of(
                text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c != 0x7F; }),
            "no blank or control character reaches the request");
}

void check_join(const core::Endpoint& endpoint, std::string_view path) {
    const core::Result<core::RequestTarget> target = core::join(endpoint, path);
    if (!target) {
        return require_readable(target.error().message);
    }
    require(target->target.starts_with('/'), "a request target begins with a slash");
    require_one_token(target->target);
    require_one_token(target->host_header);
    require(target->https == endpoint.https, "joining keeps the scheme");
    require(target->port != 0 || !endpoint.port.empty(), "a default port is filled in");
}

void check_usable(const core::Endpoint& endpoint, std::string_view path) {
    const core::Result<core::Endpoint> again = core::canonicalize(endpoint.canonical);
    require(again.has_value() && again->canonical == endpoint.canonical,
            "a canonical endpoint is its own canonical form");
    const std::string masked = core::mask_userinfo(endpoint.canonical);
    require(core::mask_userinfo(masked) == masked, "masking an endpoint twice changes nothing");
    check_join(endpoint, path);
}

void check_mask(std::string_view text) {
    const std::string masked = core::mask_userinfo(text);
    // Of a text with several words a second look may take more for a secret: where one of them
    // began with what looked like a scheme, it may now be the stars.
    const bool one_word = text.find_first_of(" \t\r\n\"\\") == std::string_view::npos;
    require(!one_word || core::mask_userinfo(masked) == masked, "masking twice changes nothing");
    const auto marks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '@'));
    require(masked.size() <= text.size() + 3 * marks, "masking adds no more than stars");
}

/// `user` up to where an authority would end, a planted password, and anything behind it.
void check_secret(std::string_view user, std::string_view rest) {
    if (rest.find(secret) != std::string_view::npos) {
        return;  // not planted by us
    }
    user = user.substr(0, std::min(user.find_first_of("/?#\\@"), user.find(secret)));
    std::string url = "https://" + std::string(user) + ":" + std::string(secret) + "@";
    url += rest;
    require_no_secret(core::mask_userinfo(url));
    if (const core::Result<core::Endpoint> endpoint = core::canonicalize(url); !endpoint) {
        require_no_secret(endpoint.error().message);
    } else {
        require_no_secret(core::mask_userinfo(endpoint->canonical));
        if (const auto target = core::join(*endpoint, "/x")) {
            require_no_secret(target->host_header + target->target);
        }
    }
}

}  // namespace

// The input is an endpoint; behind its last blank stands the policy's path.
void check_endpoint(std::string_view input) {
    const std::size_t blank = std::min(input.rfind(' '), input.size());
    const std::string_view url = input.substr(0, blank);
    const std::string path = "/" + std::string(input.substr(blank));
    if (const core::Result<core::Endpoint> endpoint = core::canonicalize(url)) {
        check_usable(*endpoint, path);
    } else {
        require_readable(endpoint.error().message);
        require(endpoint.error().message.size() <= 4096, "a message fits where it is stored");
    }
    check_mask(input);
    check_secret(url, path);
    check_secret(path, url);
}

}  // namespace ome::fuzz
