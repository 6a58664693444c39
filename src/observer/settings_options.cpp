#include "settings_options.hpp"

#include "settings_table.hpp"
#include <ome/wire/json_document.hpp>
#include <ome/wire/settings_document.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ome::observer {
namespace {

std::string config_file_of(const RawSettings& raw) {
    const auto found = raw.find("config");
    return found == raw.end() || found->second.texts.empty() ? std::string()
                                                             : found->second.texts.front();
}

std::string all_messages(const std::vector<core::Problem>& problems) {
    std::string text;
    for (const core::Problem& problem : problems) {
        text += fmt::format("ome-observer: {}\n", problem.message);
    }
    return text;
}

}  // namespace

void add_setting_options(CLI::App& app, ServeOptions& options) {
    for (const Setting& setting : settings_table()) {
        net::add_setting_option(app, setting_list().program, setting, options.flags);
    }
    app.add_flag("--print-config",
                 options.print_config,
                 "Print every setting and where it comes from, and end");
    app.add_option("--output,-o", options.output, "Of --print-config: table or json")
        ->check(CLI::IsMember({"table", "json"}));
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
        const auto rows = core::settings_in_force(setting_list(), raw, config_file);
        out += options.output == "json" ? wire::to_text(wire::settings_document(rows)) + "\n"
                                        : core::print_settings_table(rows);
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
    settings.in_force = core::settings_in_force(setting_list(), raw, config_file);
    return settings;
}

}  // namespace ome::observer
