// The settings of `serve`, checked. One table (settings_table.hpp) says what there is; flags,
// environment, configuration file and defaults are its four sources, in this order of precedence.
#pragma once

#include <ome/core/policy.hpp>
#include <ome/core/problem.hpp>
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

/// A setting as people are shown it.
struct SettingInForce {
    std::string name;
    std::string value;
    std::string
        source;  ///< `flag --listen`, `env OME_OBSERVER_LISTEN`, `config FILE PATH`, `default`
};

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

enum class Source : std::uint8_t { Default, File, Environment, Flag };

/// A value as it was written, and where: `origin` is `--flag`, the variable's name, or the path in
/// the file.
struct RawValue {
    std::vector<std::string> texts;  ///< one, but for lists
    Source source = Source::Default;
    std::string origin;
};

/// By the name of the setting; every setting of the table is there, save the limits that a
/// configuration file requires and nobody set.
using RawSettings = std::map<std::string, RawValue, std::less<>>;

/// Flags that were given, by the name of the setting. A switch says `true` or `false`.
using FlagValues = std::map<std::string, std::vector<std::string>, std::less<>>;

/// What a configuration file says: by the name of the setting.
struct FileValues {
    std::map<std::string, std::string, std::less<>> texts;
    bool limits_required = false;  ///< no default stands in for a limit
};

/// Absent or empty: not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

[[nodiscard]] RawSettings resolve_settings(const FlagValues& flags,
                                           const Environment& environment,
                                           const std::optional<FileValues>& file);

/// The settings, or all their problems; each names the origin, the value and the rule.
[[nodiscard]] std::variant<Settings, std::vector<core::Problem>> check_settings(
    const RawSettings& raw);

}  // namespace ome::observer
