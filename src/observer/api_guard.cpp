#include "api_guard.hpp"

#include "bearer.hpp"
#include <ome/core/setting.hpp>
#include <ome/net/small_file.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/algorithm/string/predicate.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ome::observer {
namespace {

namespace log = telemetry::log;

using boost::algorithm::iequals;

// `http://HOST[:PORT]` -> `HOST[:PORT]`; empty for `null` and for what is no page of the web.
std::string_view authority_of(std::string_view origin) {
    constexpr std::array<std::string_view, 2> schemes{"http://", "https://"};
    for (const std::string_view scheme : schemes) {
        if (iequals(origin.substr(0, scheme.size()), scheme)) {
            return origin.substr(scheme.size());
        }
    }
    return {};
}

void tell(const core::Problem& problem) {
    log::error("a file of the API is kept as it was",
               {{"problem", core::message_with_flag(problem)}});
}

}  // namespace

ApiGuard::ApiGuard(const Settings& settings)
    : allowed_hosts_(settings.allowed_hosts),
      token_file_(settings.token_file),
      certificate_file_(settings.tls_cert),
      key_file_(settings.tls_key) {}

std::optional<core::Problem> ApiGuard::begin() {
    if (auto problem = load_token()) {
        return problem;
    }
    return load_tls();
}

std::optional<core::Problem> ApiGuard::load_token() {
    if (token_file_.empty()) {
        return std::nullopt;
    }
    token_seen_ = net::file_signature(token_file_);
    core::Result<std::string> token = read_token(token_file_);
    if (!token) {
        return token.error();
    }
    token_ = *std::move(token);
    return std::nullopt;
}

std::optional<core::Problem> ApiGuard::load_tls() {
    if (certificate_file_.empty()) {
        return std::nullopt;
    }
    tls_seen_ = net::file_signature(certificate_file_) + net::file_signature(key_file_);
    std::vector<std::string> warnings;
    auto tls = net::ServerTls::load(certificate_file_, key_file_, warnings);
    for (const std::string& warning : warnings) {
        log::warn("TLS files are not well kept", {{"problem", warning}});
    }
    if (!tls) {
        return tls.error();
    }
    tls_ = *std::move(tls);
    return std::nullopt;
}

void ApiGuard::look_at_token() {
    if (token_file_.empty() || net::file_signature(token_file_) == token_seen_) {
        return;
    }
    if (const auto problem = load_token()) {
        tell(*problem);
    } else {
        log::info("the token of the API was read again");
    }
}

std::shared_ptr<const net::ServerTls> ApiGuard::look() {
    look_at_token();
    if (certificate_file_.empty() ||
        net::file_signature(certificate_file_) + net::file_signature(key_file_) == tls_seen_) {
        return nullptr;
    }
    if (const auto problem = load_tls()) {
        tell(*problem);
        return nullptr;
    }
    log::info("the certificate of the API was read again");
    return tls_;
}

std::shared_ptr<const net::ServerTls> ApiGuard::reload() {
    token_seen_.clear();
    tls_seen_.clear();
    return look();
}

bool ApiGuard::welcomes(std::string_view origin, std::string_view host) const {
    if (origin.empty()) {
        return true;
    }
    const std::string_view authority = authority_of(origin);
    const std::string_view name = authority.substr(0, authority.rfind(':'));
    return !authority.empty() &&
           (iequals(authority, host) ||
            std::any_of(allowed_hosts_.begin(), allowed_hosts_.end(), [&](const auto& allowed) {
                return iequals(authority, allowed) || iequals(name, allowed);
            }));
}

bool ApiGuard::admits(std::string_view authorization) {
    if (token_file_.empty() || shows_token(authorization, token_)) {
        return true;
    }
    look_at_token();
    return shows_token(authorization, token_);
}

}  // namespace ome::observer
