#include "proxy_environment.hpp"

namespace ome::observer {
namespace {

std::string either(const Environment& environment, const char* upper, const char* lower) {
    const std::string value = environment(upper).value_or("");
    return value.empty() ? environment(lower).value_or("") : value;
}

}  // namespace

core::ProxyVariables proxy_variables(const Environment& environment) {
    return {.http = either(environment, "HTTP_PROXY", "http_proxy"),
            .https = either(environment, "HTTPS_PROXY", "https_proxy"),
            .none = either(environment, "NO_PROXY", "no_proxy")};
}

core::Result<core::ProxyRules> proxy_rules(const Settings& settings,
                                           const Environment& environment) {
    if (!settings.proxy_from_environment) {
        return core::ProxyRules();
    }
    return core::ProxyRules::create(proxy_variables(environment));
}

}  // namespace ome::observer
