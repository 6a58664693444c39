#include "settings.hpp"

#include "settings_table.hpp"
#include <ome/core/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ome::observer {
namespace {

std::optional<core::Problem> apply(const Setting& setting, const RawSettings& raw, Settings& to) {
    const auto value = raw.find(setting.name);
    if (value == raw.end()) {
        return core::missing_setting(setting_list().program, setting);
    }
    const auto rule = setting.apply(to, value->second.texts);
    return rule ? std::optional(core::broken_setting(setting, value->second, *rule)) : std::nullopt;
}

// Two listeners on one port can only fail, and the error of the second bind() would not say why.
std::optional<core::Problem> listeners_problem(const Settings& settings) {
    const auto& health = settings.health_listen;
    if (!health || net::to_string(*health) != net::to_string(settings.listen) ||
        (!health->is_unix() && health->port == 0)) {
        return std::nullopt;
    }
    return core::Problem{
        fmt::format("--health-listen {} must differ from --listen", to_string(*health)),
        "health-listen"};
}

// Whoever reaches the API may declare services, and so make this process send requests.
std::optional<core::Problem> protection_problem(const Settings& settings) {
    if (settings.tls_cert.empty() != settings.tls_key.empty()) {
        return core::Problem{"--tls-cert and --tls-key must be given together", "tls-cert"};
    }
    if (settings.listen.is_local() ||
        (!settings.token_file.empty() && !settings.tls_cert.empty())) {
        return std::nullopt;
    }
    return core::Problem{
        fmt::format("--listen {} must be a loopback address or a Unix socket unless --token-file, "
                    "--tls-cert and --tls-key are given",
                    core::go_quote(net::to_string(settings.listen))),
        "listen"};
}

}  // namespace

RawSettings resolve_settings(const FlagValues& flags,
                             const Environment& environment,
                             const std::optional<FileValues>& file) {
    return core::resolve_settings(setting_list(), flags, environment, file);
}

std::variant<Settings, std::vector<core::Problem>> check_settings(const RawSettings& raw) {
    Settings settings;
    std::vector<core::Problem> problems;
    for (const Setting& setting : settings_table()) {
        if (auto problem = apply(setting, raw, settings)) {
            problems.push_back(std::move(*problem));
        }
    }
    if (problems.empty()) {
        for (const auto rule : {listeners_problem, protection_problem}) {
            if (auto problem = rule(settings)) {
                problems.push_back(std::move(*problem));
            }
        }
    }
    if (!problems.empty()) {
        return problems;
    }
    return settings;
}

}  // namespace ome::observer
