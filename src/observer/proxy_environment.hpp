// The variables of --proxy-from-environment.
#pragma once

#include "settings.hpp"
#include <ome/core/proxy.hpp>

namespace ome::observer {

/// HTTP_PROXY, HTTPS_PROXY and NO_PROXY, each else in lower case. ALL_PROXY is not read.
[[nodiscard]] core::ProxyVariables proxy_variables(const Environment& environment);

/// The rules to observe by: none, and nothing is read, unless the setting is on.
[[nodiscard]] core::Result<core::ProxyRules> proxy_rules(const Settings& settings,
                                                         const Environment& environment);

}  // namespace ome::observer
