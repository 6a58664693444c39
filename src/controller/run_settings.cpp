#include "run_settings.hpp"

#include <ome/core/gateway_settings.hpp>
#include <ome/core/setting_rules.hpp>
#include <ome/net/setting_options.hpp>
#include <ome/net/small_file.hpp>
#include <ome/net/text_file.hpp>
#include <ome/wire/config_document.hpp>
#include <ome/wire/json_document.hpp>
#include <ome/wire/settings_document.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
namespace rules = core::setting_rules;
using rules::Broken;
using rules::Texts;
using S = RunSettings;

Broken store(S& to, const Texts& texts) {
    constexpr std::string_view scheme = "dir:";
    const std::string& text = texts.front();
    if (!text.starts_with(scheme) || text.size() == scheme.size()) {
        return "must be dir:PATH";
    }
    to.app.store_folder = text.substr(scheme.size());
    return std::nullopt;
}

Broken observer(S& to, const Texts& texts) {
    const auto url = net::parse_local_url(texts.front());
    if (!url) {
        return "must be http://HOST:PORT, https://HOST:PORT or unix:/path";
    }
    to.app.observer = *url;
    return std::nullopt;
}

Broken config(S& to, const Texts& texts) {
    to.config_file = texts.front();
    return to.config_file.empty() ? Broken("must name a file") : std::nullopt;
}

Broken log_format(S& to, const Texts& texts) {
    std::size_t chosen = 0;
    const Broken broken = rules::choice(texts, {"text", "json"}, chosen);
    to.log_format = static_cast<telemetry::log::Format>(chosen);
    return broken;
}

Broken log_level(S& to, const Texts& texts) {
    std::size_t chosen = 0;
    const Broken broken = rules::choice(texts, {"debug", "info", "warn", "error", "off"}, chosen);
    to.log_level = static_cast<telemetry::log::Level>(chosen);
    return broken;
}

constexpr std::array table{
    RunSetting{{.name = "store",
                .default_value = "",
                .unit = "",
                .help = "Where services are read and maps are written: dir:PATH, a folder."},
               store},
    RunSetting{{.name = "config",
                .default_value = "",
                .unit = "file",
                .help = "The operator's multicluster configuration (JSON, YAML or its ConfigMap): "
                        "whether routing is on, policies and limits."},
               config},
    RunSetting{{.name = "observer",
                .default_value = "http://127.0.0.1:7460",
                .unit = "URL",
                .help = "The API of ome-observer: http://HOST:PORT, https://HOST:PORT or "
                        "unix:/path."},
               observer},
    RunSetting{{.name = "observer-token-file",
                .default_value = "",
                .unit = "file",
                .help = "Holds the token of an observer that asks for one. Empty: none."},
               [](S& to, const Texts& texts) {
                   to.token_file = texts.front();
                   return Broken();
               }},
    RunSetting{{.name = "observer-ca-file",
                .default_value = "",
                .unit = "files",
                .help = "PEM files of authorities that an https observer is verified by, besides "
                        "the system's.",
                .shape = core::SettingShape::List},
               [](S& to, const Texts& texts) {
                   to.app.observer_ca_files = texts;
                   return Broken();
               }},
    RunSetting{{.name = "listen",
                .default_value = "127.0.0.1:7470",
                .unit = "address",
                .help = "Where /metrics, /livez, /readyz and /status are. They only read, so the "
                        "kubelet and Prometheus may reach them at 0.0.0.0:PORT."},
               [](S& to, const Texts& texts) { return net::listen_rule(texts, to.app.listen); }},
    RunSetting{{.name = "probe-time-interval",
                .default_value = "10s",
                .unit = "duration",
                .help = "Stamps and failure counts alone are written at most once per this, or per "
                        "period of the probe if that is longer, and map: every write of a map is "
                        "work for whoever reads it."},
               [](S& to, const Texts& texts) {
                   return rules::duration(texts, 1s, 24h, to.app.probe_time_interval);
               }},
    RunSetting{{.name = "resync-interval",
                .default_value = "1m",
                .unit = "duration",
                .help = "How often the whole folder is looked at again, for changes that the "
                        "system does not tell: behind links, on network file systems."},
               [](S& to, const Texts& texts) {
                   return rules::duration(texts, 100ms, 24h, to.app.resync_interval);
               }},
    RunSetting{{.name = "log-format",
                .default_value = "text",
                .unit = "",
                .help = "text: for people. json: one object a line."},
               log_format},
    RunSetting{{.name = "log-level",
                .default_value = "info",
                .unit = "",
                .help = "debug, info, warn, error or off."},
               log_level},
};

// The message is that of a start that fails.
std::optional<core::Problem> read_configuration(std::string_view text, AppSettings& app) {
    core::Result<wire::ConfigDocument> config = wire::read_config(text);
    if (!config) {
        return config.error();
    }
    if (auto problem = core::configuration_error(config->routing, config->gateway)) {
        return problem;
    }
    app.installation = std::move(config->routing);
    app.gateway = std::move(config->gateway);
    return std::nullopt;
}

// The problems of files come after those of the settings that name them.
std::vector<core::Problem> read_files(RunSettings& settings) {
    std::vector<core::Problem> problems;
    const auto text = net::read_text_file(settings.config_file);
    if (!text) {
        problems.push_back(text.error());
    } else if (const auto problem = read_configuration(*text, settings.app)) {
        problems.push_back({fmt::format("{}: {}", settings.config_file, problem->message)});
    }
    if (!settings.token_file.empty()) {
        const auto token = net::read_small_file(settings.token_file);
        const std::string word =
            token ? token->bytes.substr(0, token->bytes.find_first_of(" \t\r\n")) : std::string();
        if (!token) {
            problems.push_back(token.error());
        } else if (word.empty()) {
            problems.push_back({fmt::format("{}: holds no token", settings.token_file)});
        }
        settings.app.observer.access.token = word;
    }
    settings.app.observer.access.ca_files = settings.app.observer_ca_files;
    return problems;
}

// What has no default: without a value there is nothing to run.
std::vector<const core::Setting*> missing_settings(const core::RawSettings& raw) {
    std::vector<const core::Setting*> missing;
    for (const core::Setting* setting : run_setting_list().rows) {
        const bool required = setting->name == "store" || setting->name == "config";
        if (required && raw.find(setting->name)->second.texts.front().empty()) {
            missing.push_back(setting);
        }
    }
    return missing;
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

std::variant<RunSettings, std::vector<core::Problem>> check(const core::RawSettings& raw) {
    RunSettings settings;
    std::vector<core::Problem> problems;
    for (const RunSetting& setting : table) {
        const core::RawSetting& value = raw.find(setting.name)->second;
        if (const Broken rule = setting.apply(settings, value.texts)) {
            problems.push_back(core::broken_setting(setting, value, *rule));
        }
    }
    if (problems.empty()) {
        problems = read_files(settings);
    }
    if (!problems.empty()) {
        return problems;
    }
    return settings;
}

}  // namespace

std::span<const RunSetting> run_settings_table() {
    return table;
}

const core::SettingList& run_setting_list() {
    static const core::SettingList list = [] {
        core::SettingList all{"ome-trafficmap", {}};
        for (const RunSetting& setting : table) {
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
    if (const auto missing = missing_settings(raw); !missing.empty()) {
        err += missing_text(missing);
        return wrong_usage;
    }
    auto checked = check(raw);
    if (const auto* problems = std::get_if<std::vector<core::Problem>>(&checked)) {
        for (const core::Problem& problem : *problems) {
            err += fmt::format("ome-trafficmap: {}\n", problem.message);
        }
        return bad_configuration;
    }
    if (options.print_config) {
        return 0;
    }
    return std::get<RunSettings>(std::move(checked));
}

}  // namespace ome::controller
