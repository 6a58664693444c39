#include "settings_options.hpp"

#include "settings_table.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace ome::observer {
namespace {

std::string help_of(const Setting& setting) {
    std::string help(setting.help);
    if (!setting.default_value.empty()) {
        help += fmt::format(" [{}]", setting.default_value);
    }
    return help + fmt::format(" ({})", variable_of(setting));
}

void add_option(CLI::App& app, const Setting& setting, FlagValues& flags) {
    const std::string name(setting.name);
    const std::string flag = flag_of(setting);
    const std::string help = help_of(setting);
    const std::string unit = setting.unit.empty() ? "TEXT" : std::string(setting.unit);
    if (setting.shape == Shape::Switch) {
        app.add_flag_function(
            flag,
            [&flags, name](std::int64_t count) { flags[name] = {count > 0 ? "true" : "false"}; },
            help);
    } else if (setting.shape == Shape::List) {
        app.add_option_function<std::vector<std::string>>(
               flag, [&flags, name](const auto& texts) { flags[name] = texts; }, help)
            ->allow_extra_args(false)
            ->type_name(unit);
    } else {
        app.add_option_function<std::string>(
               flag, [&flags, name](const std::string& text) { flags[name] = {text}; }, help)
            ->type_name(unit);
    }
}

std::string source_text(const RawValue& value, const std::string& config_file) {
    switch (value.source) {
        case Source::Default:
            return "default";
        case Source::File:
            return fmt::format("config {} {}", config_file, value.origin);
        case Source::Environment:
            return "env " + value.origin;
        case Source::Flag:
            break;
    }
    return "flag " + value.origin;
}

std::string value_text(const RawValue& value) {
    return fmt::format("{}", fmt::join(value.texts, ","));
}

std::string config_file_of(const RawSettings& raw) {
    const auto found = raw.find("config");
    return found == raw.end() ? std::string() : value_text(found->second);
}

std::string all_messages(const std::vector<core::Problem>& problems) {
    std::string text;
    for (const core::Problem& problem : problems) {
        text += fmt::format("ome-observer: {}\n", problem.message);
    }
    return text;
}

std::optional<RawValue> find(const RawSettings& raw, std::string_view name) {
    const auto found = raw.find(name);
    return found == raw.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void add_setting_options(CLI::App& app, ServeOptions& options) {
    for (const Setting& setting : settings_table()) {
        add_option(app, setting, options.flags);
    }
    app.add_flag("--print-config",
                 options.print_config,
                 "Print every setting and where it comes from, and end");
    app.add_option("--output", options.output, "Of --print-config: table or json")
        ->check(CLI::IsMember({"table", "json"}));
}

std::vector<SettingInForce> settings_in_force(const RawSettings& raw,
                                              const std::string& config_file) {
    std::vector<SettingInForce> rows;
    for (const Setting& setting : settings_table()) {
        if (const auto value = find(raw, setting.name)) {
            rows.push_back(
                {std::string(setting.name), value_text(*value), source_text(*value, config_file)});
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

boost::json::object settings_document(const std::vector<SettingInForce>& settings) {
    boost::json::array rows;
    for (const SettingInForce& row : settings) {
        rows.push_back({{"setting", row.name}, {"value", row.value}, {"source", row.source}});
    }
    return {{"settings", std::move(rows)}};
}

Environment process_environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    };
}

std::variant<Settings, int> prepare_settings(const ServeOptions& options,
                                             const Environment& environment,
                                             const FileReader& read_file,
                                             std::string& out,
                                             std::string& err) {
    constexpr int bad_configuration = 78;
    RawSettings raw = resolve_settings(options.flags, environment, std::nullopt);
    const std::string config_file = config_file_of(raw);
    if (!config_file.empty()) {
        const auto file = read_file(config_file);
        if (!file) {
            err += fmt::format("ome-observer: {}: {}\n", config_file, file.error().message);
            return bad_configuration;
        }
        raw = resolve_settings(options.flags, environment, *file);
    }
    if (options.print_config) {
        const auto rows = settings_in_force(raw, config_file);
        out += options.output == "json" ? boost::json::serialize(settings_document(rows)) + "\n"
                                        : print_settings_table(rows);
    }
    auto checked = check_settings(raw);
    if (const auto* problems = std::get_if<std::vector<core::Problem>>(&checked)) {
        err += all_messages(*problems);
        return bad_configuration;
    }
    if (options.print_config) {
        return 0;
    }
    Settings settings = std::get<Settings>(std::move(checked));
    settings.in_force = settings_in_force(raw, config_file);
    return settings;
}

}  // namespace ome::observer
