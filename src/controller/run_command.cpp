// `ome-trafficmap run`
#include "app.hpp"
#include "commands.hpp"
#include "render_files.hpp"
#include <ome/core/duration.hpp>
#include <ome/net/text_file.hpp>
#include <ome/telemetry/log.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace ome::controller {
namespace {

constexpr int failure = 1;
constexpr int bad_configuration = 78;

struct RunOptions {
    std::string store;
    std::string observer = "http://127.0.0.1:7460";
    std::string config;
    std::string listen = "127.0.0.1:7470";
    std::string probe_time_interval = "10s";
    std::string log_format = "text";
};

int run_controller(const RunOptions& options) {
    AppSettings settings;
    settings.store_folder = options.store.substr(4);
    const auto text = net::read_text_file(options.config);
    const auto installation =
        text ? read_installation(*text) : core::Result<core::RoutingSettings>(text.error());
    if (!installation) {
        fmt::print(stderr, "ome-trafficmap: {}\n", installation.error().message);
        return bad_configuration;
    }
    settings.installation = *installation;
    settings.observer = *net::parse_local_url(options.observer);
    settings.listen = *net::parse_listen_address(options.listen);
    settings.probe_time_interval = *core::parse_duration(options.probe_time_interval);
    auto logging = telemetry::log::Logging::start({.format = options.log_format == "json"
                                                                 ? telemetry::log::Format::Json
                                                                 : telemetry::log::Format::Text});
    auto app = App::create(settings);
    if (!app) {
        fmt::print(stderr, "ome-trafficmap: {}\n", app.error().message);
        return app.error().field == "listen" ? failure : bad_configuration;
    }
    (*app)->run();
    return 0;
}

}  // namespace

void add_run_command(CLI::App& app, Run& run) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command = app.add_subcommand("run", "Keep TrafficMaps as services and homes are");
    command->add_option("--store", options->store)->required();
    command->add_option("--observer", options->observer);
    command->add_option("--config", options->config)->required();
    command->add_option("--listen", options->listen);
    command->add_option("--probe-time-interval", options->probe_time_interval);
    command->add_option("--log-format", options->log_format);
    command->callback([options, &run] { run = [options] { return run_controller(*options); }; });
}

}  // namespace ome::controller
