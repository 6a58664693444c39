#include "run_settings.hpp"

#include "configuration_file.hpp"
#include <ome/core/setting_variables.hpp>
#include <ome/net/setting_options.hpp>
#include <ome/net/small_file.hpp>
#include <ome/wire/json_document.hpp>
#include <ome/wire/settings_document.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ome::controller {
namespace {

void read_configuration_file(RunSettings& settings, std::vector<core::Problem>& problems) {
    auto configuration = read_configuration(settings.app.config_file);
    if (!configuration) {
        problems.push_back({"--config " + configuration.error().message});
        return;
    }
    settings.app.configuration = std::move(configuration->all);
    settings.app.routing_off = std::move(configuration->routing_off);
    settings.app.config_warnings = configuration->warnings;
    for (const std::string& warning : configuration->warnings) {
        settings.warnings.push_back("--config " + warning);
    }
}

// The problems of files come after those of the settings that name them.
std::vector<core::Problem> read_files(RunSettings& settings) {
    std::vector<core::Problem> problems;
    if (!settings.app.config_file.empty()) {
        read_configuration_file(settings, problems);
    }
    if (!settings.token_file.empty()) {
        const auto token = net::read_small_file(settings.token_file);
        const std::string word =
            token ? token->bytes.substr(0, token->bytes.find_first_of(" \t\r\n")) : std::string();
        if (!token) {
            problems.push_back({"--observer-token-file " + token.error().message});
        } else if (word.empty()) {
            problems.push_back(
                {fmt::format("--observer-token-file {}: holds no token", settings.token_file)});
        }
        settings.app.observer.access.token = word;
    }
    settings.app.observer.access.ca_files = settings.app.observer_ca_files;
    return problems;
}

// What has no default: without a value there is nothing to run.
std::vector<const core::Setting*> missing_settings(const core::RawSettings& raw) {
    std::vector<const core::Setting*> missing;
    const auto empty = [&raw](std::string_view name) {
        return raw.find(name)->second.texts.front().empty();
    };
    // A store that is none does not say whether the file is needed.
    const bool in_folder = raw.find("store")->second.texts.front().starts_with("dir:");
    const bool none = empty("store");
    for (const core::Setting* setting : run_setting_list().rows) {
        const bool required =
            setting->name == "store" || (setting->name == "config" && (in_folder || none));
        if (required && empty(setting->name)) {
            missing.push_back(setting);
        }
    }
    return missing;
}

// Where there will be no log.
void tell_warnings(const std::vector<std::string>& warnings, std::string& err) {
    for (const std::string& warning : warnings) {
        err += fmt::format("ome-trafficmap: warning: {}\n", warning);
    }
}

std::string missing_text(const std::vector<const core::Setting*>& missing) {
    std::string text;
    for (const core::Setting* setting : missing) {
        text += fmt::format("ome-trafficmap: {} is missing ({} does as well). {}\n",
                            core::flag_of(*setting),
                            core::variable_of(run_setting_list().program, *setting),
                            setting->help);
    }
    return text +
           "Example: ome-trafficmap run --store dir:/var/lib/ome --config multicluster.json\n";
}

// What is not of the chosen store was meant for another: it is not left aside in silence.
std::optional<std::string> misplaced(const RunSetting& setting, StoreChoice::Kind chosen) {
    if (setting.of == RunSetting::Of::Kube && chosen == StoreChoice::Kind::Folder) {
        return "must not be given with --store dir:PATH: it is for --store kube";
    }
    if (setting.of == RunSetting::Of::Folder && chosen == StoreChoice::Kind::Kube) {
        return "must not be given with --store kube: it is for --store dir:PATH";
    }
    return std::nullopt;
}

void check_store(const core::RawSettings& raw,
                 const StoreChoice& store,
                 std::vector<core::Problem>& problems) {
    for (const RunSetting& setting : run_settings_table()) {
        const core::RawSetting& value = raw.find(setting.name)->second;
        const auto rule = misplaced(setting, store.kind);
        if (rule && value.source != core::SettingSource::Default) {
            problems.push_back(core::broken_setting(setting, value, *rule));
        }
    }
    const core::RawSetting& config = raw.find("config")->second;
    const core::RawSetting& map = raw.find("config-map")->second;
    if (!map.texts.front().empty() && !config.texts.front().empty()) {
        problems.push_back({fmt::format(
            "{} and {} name two configurations: one of them must go", map.origin, config.origin)});
    }
    if (const auto problem = kube::check(store.kube.election)) {
        problems.push_back({"--" + problem->message, problem->field});
    }
}

// Of each value by itself.
std::vector<core::Problem> apply_all(const core::RawSettings& raw, RunSettings& settings) {
    std::vector<core::Problem> problems;
    for (const RunSetting& setting : run_settings_table()) {
        const core::RawSetting& value = raw.find(setting.name)->second;
        const bool not_given = setting.name == "store" && value.texts.front().empty();
        const auto rule = not_given ? std::nullopt : setting.apply(settings, value.texts);
        if (rule) {
            problems.push_back(core::broken_setting(setting, value, *rule));
        }
    }
    return problems;
}

std::string problems_text(const std::vector<core::Problem>& problems) {
    std::string text;
    for (const core::Problem& problem : problems) {
        text += fmt::format("ome-trafficmap: {}\n", problem.message);
    }
    return text;
}

std::variant<RunSettings, std::vector<core::Problem>> check(const core::RawSettings& raw) {
    RunSettings settings;
    std::vector<core::Problem> problems = apply_all(raw, settings);
    if (problems.empty()) {
        check_store(raw, settings.app.store, problems);
    }
    if (problems.empty()) {
        problems = read_files(settings);
    }
    if (settings.app.config_map.name.empty()) {
        settings.app.config_map.name = default_config_map;
    }
    if (!problems.empty()) {
        return problems;
    }
    return settings;
}

}  // namespace

const core::SettingList& run_setting_list() {
    static const core::SettingList list = [] {
        core::SettingList all{"ome-trafficmap", {}};
        for (const RunSetting& setting : run_settings_table()) {
            all.rows.push_back(&setting);
        }
        return all;
    }();
    return list;
}

void add_run_options(CLI::App& app, RunOptions& options) {
    for (const core::Setting* setting : run_setting_list().rows) {
        net::add_setting_option(app, run_setting_list().program, *setting, options.flags);
    }
    app.add_flag("--print-config",
                 options.print_config,
                 "Print every setting and where it comes from, and end");
    app.add_option("--output,-o", options.output, "Of --print-config: table or json")
        ->check(CLI::IsMember({"table", "json"}));
}

std::variant<RunSettings, int> prepare_run(const RunOptions& options,
                                           const core::Environment& environment,
                                           std::string& out,
                                           std::string& err) {
    constexpr int wrong_usage = 2;
    constexpr int bad_configuration = 78;
    const core::RawSettings raw =
        core::resolve_settings(run_setting_list(), options.flags, environment, std::nullopt);
    if (options.print_config) {
        const auto rows = core::settings_in_force(run_setting_list(), raw, "");
        out += options.output == "json" ? wire::to_text(wire::settings_document(rows)) + "\n"
                                        : core::print_settings_table(rows);
    }
    std::vector<std::string> warnings;
    for (const auto& problem : core::unknown_variables(run_setting_list(), options.variables)) {
        warnings.push_back(problem.message);
    }
    if (const auto missing = missing_settings(raw); !missing.empty()) {
        tell_warnings(warnings, err);
        RunSettings others;
        err += problems_text(apply_all(raw, others));
        err += missing_text(missing);
        return wrong_usage;
    }
    auto checked = check(raw);
    if (options.print_config || !std::holds_alternative<RunSettings>(checked)) {
        tell_warnings(warnings, err);
    }
    if (const auto* problems = std::get_if<std::vector<core::Problem>>(&checked)) {
        err += problems_text(*problems);
        return bad_configuration;
    }
    if (options.print_config) {
        return 0;
    }
    RunSettings settings = std::get<RunSettings>(std::move(checked));
    settings.warnings.insert(settings.warnings.begin(), warnings.begin(), warnings.end());
    return settings;
}

}  // namespace ome::controller
