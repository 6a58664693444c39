#include <ome/core/endpoint.hpp>
#include <ome/core/setting.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace ome::core {
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
    return setting.shape == SettingShape::List ? split(texts) : texts;
}

std::optional<RawSetting> find_value(std::string_view program,
                                     const Setting& setting,
                                     const FlagValues& flags,
                                     const Environment& environment,
                                     const std::optional<FileValues>& file) {
    if (const auto flag = flags.find(setting.name); flag != flags.end()) {
        return RawSetting{in_shape(setting, flag->second), SettingSource::Flag, flag_of(setting)};
    }
    const std::string variable = variable_of(program, setting);
    if (const auto value = environment(variable); value && !value->empty()) {
        return RawSetting{in_shape(setting, {*value}), SettingSource::Environment, variable};
    }
    if (file && !setting.file_key.empty()) {
        if (const auto value = file->texts.find(setting.name); value != file->texts.end()) {
            return RawSetting{in_shape(setting, {value->second}),
                              SettingSource::File,
                              std::string(setting.file_key)};
        }
        if (file->limits_required) {
            return std::nullopt;
        }
    }
    return RawSetting{
        in_shape(setting, {std::string(setting.default_value)}), SettingSource::Default, "default"};
}

// For people: a URL may have been given with a password.
std::string value_text(const RawSetting& value) {
    const std::string text = fmt::format("{}", fmt::join(value.texts, ","));
    return text.find("://") == text.npos ? text : mask_userinfo(text);
}

std::string source_text(const RawSetting& value, const std::string& config_file) {
    switch (value.source) {
        case SettingSource::Default:
            return "default";
        case SettingSource::File:
            return fmt::format("config {} {}", config_file, value.origin);
        case SettingSource::Environment:
            return "env " + value.origin;
        case SettingSource::Flag:
            break;
    }
    return "flag " + value.origin;
}

}  // namespace

std::string flag_of(const Setting& setting) {
    return "--" + std::string(setting.name);
}

std::string message_with_flag(const Problem& problem, std::string_view prefix) {
    if (problem.field.empty() || !problem.message.starts_with(problem.field + ": ")) {
        return problem.message;
    }
    return "--" + std::string(prefix) + problem.message;
}

std::string variable_of(std::string_view program, const Setting& setting) {
    std::string name;
    for (const std::string_view part : {program, std::string_view("_"), setting.name}) {
        std::transform(part.begin(), part.end(), std::back_inserter(name), [](unsigned char c) {
            return c == '-' ? '_' : static_cast<char>(std::toupper(c));
        });
    }
    return name;
}

RawSettings resolve_settings(const SettingList& list,
                             const FlagValues& flags,
                             const Environment& environment,
                             const std::optional<FileValues>& file) {
    RawSettings raw;
    for (const Setting* setting : list.rows) {
        if (auto value = find_value(list.program, *setting, flags, environment, file)) {
            raw.emplace(setting->name, std::move(*value));
        }
    }
    return raw;
}

Problem broken_setting(const Setting& setting, const RawSetting& value, const std::string& rule) {
    return {fmt::format("{} {} {}", value.origin, go_quote(value_text(value)), rule),
            std::string(setting.name)};
}

Problem missing_setting(std::string_view program, const Setting& setting) {
    return {fmt::format("{} must be positive when routing is enabled (not set by the configuration "
                        "file, {} or {})",
                        setting.file_key,
                        flag_of(setting),
                        variable_of(program, setting)),
            std::string(setting.name)};
}

std::vector<SettingInForce> settings_in_force(const SettingList& list,
                                              const RawSettings& raw,
                                              const std::string& config_file) {
    std::vector<SettingInForce> rows;
    for (const Setting* setting : list.rows) {
        if (const auto value = raw.find(setting->name); value != raw.end()) {
            rows.push_back({std::string(setting->name),
                            value_text(value->second),
                            source_text(value->second, config_file)});
        }
    }
    return rows;
}

std::string print_settings_table(const std::vector<SettingInForce>& settings) {
    std::size_t value_width = 5;
    for (const SettingInForce& row : settings) {
        value_width = std::max(value_width, std::min<std::size_t>(row.value.size(), 40));
    }
    std::string text =
        fmt::format("{:<26}  {:<{}}  {}\n", "SETTING", "VALUE", value_width, "SOURCE");
    for (const SettingInForce& row : settings) {
        text += fmt::format("{:<26}  {:<{}}  {}\n", row.name, row.value, value_width, row.source);
    }
    return text;
}

}  // namespace ome::core
