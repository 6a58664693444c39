#include "app.hpp"
#include "commands.hpp"
#include "cores.hpp"
#include "descriptors.hpp"
#include "settings_options.hpp"
#include <ome/core/text.hpp>
#include <ome/net/descriptor_limit.hpp>
#include <ome/net/process_signals.hpp>
#include <ome/net/standard_output.hpp>
#include <ome/telemetry/log.hpp>

#include <CLI/CLI.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

namespace ome::observer {
namespace {

constexpr int failure = 1;
constexpr int bad_configuration = 78;

constexpr const char* footer =
    "Every option can also be given as the environment variable beside it, and the five limits in "
    "the\n"
    "--config file; a flag wins over the environment, the environment over the file.\n"
    "SIGHUP reads the services file, the TLS files and the configuration file again.\n"
    "\n"
    "Examples:\n"
    "  ome-observer serve --services homes.yaml      watch the homes of a file\n"
    "  ome-observer serve --config multicluster.json wait for a controller\n"
    "  ome-observer serve --print-config             what would be in force, and why\n"
    "\n"
    "Exit codes: 0 ended in order, 1 failure (the address cannot be used), 2 wrong usage, 78 bad "
    "configuration.";

void log_warnings(const Words& words) {
    for (const std::string& warning : words.warnings) {
        telemetry::log::warn("a setting is not taken as it is written", {{"warning", warning}});
    }
}

std::variant<Settings, int> settings_from(const ServeOptions& options, Words& words) {
    auto prepared = prepare_settings(options, process_environment(), read_settings_file, words);
    std::fputs(words.err.c_str(), stderr);
    if (int* code = std::get_if<int>(&prepared)) {
        *code = net::exit_code_of(net::print(words.out), *code);
    }
    return prepared;
}

// At SIGHUP, when nobody reads standard error any more: problems come back as values.
core::Result<ReloadedSettings> limits_again(const ServeOptions& options) {
    Words words;
    ServeOptions quiet = options;
    quiet.print_config = false;
    quiet.variables.clear();  // said at the start, and the same ever since
    auto prepared = prepare_settings(quiet, process_environment(), read_settings_file, words);
    if (const auto* settings = std::get_if<Settings>(&prepared)) {
        log_warnings(words);
        return ReloadedSettings{settings->limits, settings->in_force};
    }
    std::string told = fmt::format("{}", fmt::join(words.problems, "; "));
    boost::algorithm::replace_all(told, "\n", "; ");
    if (!told.starts_with(words.config_file)) {
        told = words.config_file + ": " + told;
    }
    return core::Problem{told, "config"};
}

// Where it is too low to start with, no part could say so as well as this.
std::optional<core::Problem> too_few_descriptors(std::size_t limit, std::size_t reactors) {
    const std::size_t fewest = fewest_descriptors(reactors);
    if (limit >= fewest) {
        return std::nullopt;
    }
    return core::Problem{
        fmt::format("the descriptor limit {} is too low for {}: it must be at least {} (ulimit -n)",
                    limit,
                    core::counted(reactors, "reactor", "reactors"),
                    fewest)};
}

// The descriptor limit has the last word over what was asked for.
void fit_to_descriptors(std::size_t limit, Settings& settings) {
    const DescriptorShares shares =
        share_descriptors(limit,
                          {.requests = static_cast<std::size_t>(
                               std::max<std::int64_t>(settings.limits.max_concurrent_requests, 0)),
                           .api_connections = settings.api_max_connections,
                           .idle_connections = settings.max_idle_connections});
    if (shares.idle_connections < settings.max_idle_connections ||
        shares.api_connections < settings.api_max_connections) {
        telemetry::log::warn("the descriptor limit is below what the settings ask for",
                             {{"limit", limit},
                              {"idle-connections", shares.idle_connections},
                              {"api-connections", shares.api_connections}});
    }
    settings.max_idle_connections = shares.idle_connections;
    settings.api_max_connections = shares.api_connections;
}

std::string with_flag(const core::Problem& problem, const Settings& settings) {
    const std::string& message = problem.message;
    if (!message.starts_with("cannot listen on ")) {
        return core::message_with_flag(problem);
    }
    const auto& health = settings.health_listen;
    const bool is_health =
        health && message.find(" " + net::to_string(*health) + ":") != message.npos;
    return fmt::format("{}: {}", is_health ? "--health-listen" : "--listen", message);
}

int serve(const ServeOptions& options) {
    net::hold_hangup();
    Words words;
    std::variant<Settings, int> prepared = settings_from(options, words);
    if (const int* code = std::get_if<int>(&prepared)) {
        return *code;
    }
    Settings& settings = std::get<Settings>(prepared);
    if (settings.reactors == 0) {
        settings.reactors = default_reactors();
    }
    const std::size_t descriptors = net::raise_descriptor_limit();
    if (const auto problem = too_few_descriptors(descriptors, settings.reactors)) {
        fmt::print(stderr, "ome-observer: {}\n", problem->message);
        return failure;
    }
    auto logging = telemetry::log::Logging::start(
        {.format = settings.log_format, .level = settings.log_level});
    if (!logging) {
        fmt::print(stderr, "ome-observer: {}\n", logging.error().message);
        return failure;
    }
    log_warnings(words);
    fit_to_descriptors(descriptors, settings);
    auto app = App::create(settings, [&options] { return limits_again(options); });
    if (!app) {
        fmt::print(stderr, "ome-observer: {}\n", with_flag(app.error(), settings));
        return app.error().field == "listen" ? failure : bad_configuration;
    }
    (*app)->run();
    return 0;
}

}  // namespace

void add_serve_command(CLI::App& app, Run& run) {
    auto options = std::make_shared<ServeOptions>();
    CLI::App* command =
        app.add_subcommand("serve", "Poll and probe homes, and serve their readings");
    command->footer(footer);
    add_setting_options(*command, *options);
    command->callback([options, &run] {
        options->variables = net::process_variables();
        run = [options] { return serve(*options); };
    });
}

}  // namespace ome::observer
