#include "settings.hpp"

#include "settings_table.hpp"
#include <ome/core/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ome::observer {
namespace {

// Empty members of a list are no members: `a,,b` and an empty text.
std::vector<std::string> split(const std::vector<std::string>& texts) {
    std::vector<std::string> members;
    for (std::string_view rest : texts) {
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            if (end > 0) {
                members.emplace_back(rest.substr(0, end));
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return members;
}

std::vector<std::string> in_shape(const Setting& setting, std::vector<std::string> texts) {
    return setting.shape == Shape::List ? split(texts) : texts;
}

std::optional<RawValue> find_value(const Setting& setting,
                                   const FlagValues& flags,
                                   const Environment& environment,
                                   const std::optional<FileValues>& file) {
    if (const auto flag = flags.find(setting.name); flag != flags.end()) {
        return RawValue{in_shape(setting, flag->second), Source::Flag, flag_of(setting)};
    }
    const std::string variable = variable_of(setting);
    if (const auto value = environment(variable); value && !value->empty()) {
        return RawValue{in_shape(setting, {*value}), Source::Environment, variable};
    }
    if (file && !setting.file_key.empty()) {
        if (const auto value = file->texts.find(setting.name); value != file->texts.end()) {
            return RawValue{
                in_shape(setting, {value->second}), Source::File, std::string(setting.file_key)};
        }
        if (file->limits_required) {
            return std::nullopt;
        }
    }
    return RawValue{
        in_shape(setting, {std::string(setting.default_value)}), Source::Default, "default"};
}

core::Problem missing(const Setting& setting) {
    return {fmt::format("{} must be positive when routing is enabled (not set by the configuration "
                        "file, {} or {})",
                        setting.file_key,
                        flag_of(setting),
                        variable_of(setting)),
            std::string(setting.name)};
}

core::Problem broken(const Setting& setting, const RawValue& value, const std::string& rule) {
    return {fmt::format("{} {} {}",
                        value.origin,
                        core::go_quote(fmt::format("{}", fmt::join(value.texts, ","))),
                        rule),
            std::string(setting.name)};
}

std::optional<core::Problem> apply(const Setting& setting, const RawSettings& raw, Settings& to) {
    const auto value = raw.find(setting.name);
    if (value == raw.end()) {
        return missing(setting);
    }
    const auto rule = setting.apply(to, value->second.texts);
    return rule ? std::optional(broken(setting, value->second, *rule)) : std::nullopt;
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
    RawSettings raw;
    for (const Setting& setting : settings_table()) {
        if (auto value = find_value(setting, flags, environment, file)) {
            raw.emplace(setting.name, std::move(*value));
        }
    }
    return raw;
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
