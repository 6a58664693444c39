#include "app.hpp"
#include "commands.hpp"
#include "cores.hpp"
#include "settings_file.hpp"
#include "settings_options.hpp"
#include <ome/telemetry/log.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

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
    "  ome-observer serve --services homes.yaml          watch the homes of a file\n"
    "  ome-observer serve --config multicluster.json     wait for a controller's declarations\n"
    "  ome-observer serve --config m.json --print-config what would be in force, and why\n";

std::variant<Settings, int> settings_from(const ServeOptions& options) {
    std::string out;
    std::string err;
    auto prepared = prepare_settings(options, process_environment(), read_settings_file, out, err);
    std::fputs(out.c_str(), stdout);
    std::fputs(err.c_str(), stderr);
    return prepared;
}

// At SIGHUP, when nobody reads standard error any more: problems come back as values.
core::Result<core::ObserverLimits> limits_again(const ServeOptions& options) {
    std::string out;
    std::string err;
    ServeOptions quiet = options;
    quiet.print_config = false;
    auto prepared = prepare_settings(quiet, process_environment(), read_settings_file, out, err);
    if (const auto* settings = std::get_if<Settings>(&prepared)) {
        return settings->limits;
    }
    return core::Problem{err, "config"};
}

int serve(const ServeOptions& options) {
    std::variant<Settings, int> prepared = settings_from(options);
    if (const int* code = std::get_if<int>(&prepared)) {
        return *code;
    }
    Settings& settings = std::get<Settings>(prepared);
    if (settings.reactors == 0) {
        settings.reactors = default_reactors();
    }
    auto logging = telemetry::log::Logging::start(
        {.format = settings.log_format, .level = settings.log_level});
    if (!logging) {
        fmt::print(stderr, "ome-observer: {}\n", logging.error().message);
        return failure;
    }
    auto app = App::create(settings, [&options] { return limits_again(options); });
    if (!app) {
        fmt::print(stderr, "ome-observer: {}\n", app.error().message);
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
    command->callback([options, &run] { run = [options] { return serve(*options); }; });
}

}  // namespace ome::observer
