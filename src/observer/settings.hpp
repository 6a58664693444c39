// The settings of `serve`, checked. One table (settings_table.hpp) says what there is; flags,
// environment, configuration file and defaults are its four sources, in this order of precedence.
#pragma once

#include <ome/core/policy.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/setting.hpp>
#include <ome/net/listen_address.hpp>
#include <ome/telemetry/log.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ome::observer {

using core::Environment;
using core::FileValues;
using core::FlagValues;
using core::RawSettings;
using core::SettingInForce;

/// Every value has passed its rule; made by check_settings() and never changed after.
struct Settings {
    net::ListenAddress listen;
    std::optional<net::ListenAddress> health_listen;
    std::string config_file;    ///< empty: none
    std::string services_file;  ///< empty: services are declared through the API
    core::ObserverLimits limits;

    std::size_t reactors = 0;  ///< 0: as many as there are cores, see cores.hpp
    core::Duration grid{};
    std::vector<std::string> ca_files;
    std::string tls_dir;      ///< empty: none
    std::string dns_servers;  ///< `IP:PORT,...`; empty: resolv.conf
    std::string resolv_conf;
    bool allow_loopback = false;
    std::vector<std::string> deny_addresses;  ///< CIDR
    bool reuse_probe_connections = false;
    core::Duration connection_max_age{};
    std::size_t max_idle_connections = 0;
    bool proxy_from_environment = false;

    core::Duration declaration_ttl{};  ///< zero: never
    std::vector<std::string> allowed_hosts;
    std::string token_file;  ///< empty: nobody needs a token
    std::string tls_cert;    ///< empty, like tls_key: plain HTTP
    std::string tls_key;
    std::size_t api_max_connections = 0;
    std::size_t api_max_watches = 0;
    core::Duration api_request_timeout{};
    core::Duration api_idle_timeout{};
    core::Duration api_write_timeout{};

    std::string record_file;  ///< empty: attempts are not recorded
    std::uint64_t record_max_bytes = 0;

    telemetry::log::Format log_format = telemetry::log::Format::Text;
    telemetry::log::Level log_level = telemetry::log::Level::Info;
    bool metrics_per_home = false;

    std::vector<SettingInForce> in_force;  ///< as it all was written, for bug reports
};

[[nodiscard]] RawSettings resolve_settings(const FlagValues& flags,
                                           const Environment& environment,
                                           const std::optional<FileValues>& file);

/// The settings, or all their problems; each names the origin, the value and the rule.
[[nodiscard]] std::variant<Settings, std::vector<core::Problem>> check_settings(
    const RawSettings& raw);

}  // namespace ome::observer
