#include <ome/net/setting_options.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace ome::net {
namespace {

std::string help_of(std::string_view program, const core::Setting& setting) {
    std::string help(setting.help);
    if (!setting.default_value.empty()) {
        help += fmt::format(" [{}]", setting.default_value);
    }
    return help + fmt::format(" ({})", core::variable_of(program, setting));
}

}  // namespace

void add_setting_option(CLI::App& app,
                        std::string_view program,
                        const core::Setting& setting,
                        core::FlagValues& flags) {
    const std::string name(setting.name);
    const std::string flag = core::flag_of(setting);
    const std::string help = help_of(program, setting);
    const std::string unit = setting.unit.empty() ? "TEXT" : std::string(setting.unit);
    if (setting.shape == core::SettingShape::Switch) {
        // Not CLI11's own flag: that one takes numbers and throws at words.
        app.add_option_function<std::string>(
               flag,
               [&flags, name](const std::string& text) {
                   flags[name] = {text.empty() ? "true" : text};
               },
               help)
            ->expected(0, 1)
            ->type_name("[true|false]");
    } else if (setting.shape == core::SettingShape::List) {
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

core::Environment process_environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    };
}

std::vector<std::string> process_variables() {
    std::vector<std::string> names;
    for (char* const* entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        names.emplace_back(text.substr(0, text.find('=')));
    }
    std::sort(names.begin(), names.end());
    return names;
}

core::setting_rules::Broken listen_rule(const core::setting_rules::Texts& texts,
                                        ListenAddress& out) {
    const auto parsed = parse_listen_address(texts.front());
    if (!parsed) {
        return "must be IP:PORT, [IPv6]:PORT, localhost:PORT or unix:/path";
    }
    out = *parsed;
    return std::nullopt;
}

}  // namespace ome::net
