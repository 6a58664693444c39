// `ome-trafficmap run`
#include "app.hpp"
#include "commands.hpp"
#include "run_settings.hpp"
#include <ome/net/descriptor_limit.hpp>
#include <ome/net/process_signals.hpp>
#include <ome/net/setting_options.hpp>
#include <ome/net/standard_output.hpp>
#include <ome/telemetry/log.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace ome::controller {
namespace {

constexpr int failure = 1;
constexpr int bad_configuration = 78;

// Event loops, store, observer, log and a few connections: with fewer it may not even start.
constexpr std::size_t fewest_descriptors = 48;

constexpr const char* footer =
    "Every option can also be given as the environment variable beside it; a flag wins.\n"
    "A configuration that changes is taken up: the routing part starts anew. A second controller\n"
    "on one store waits until the first is gone.\n"
    "\n"
    "Examples:\n"
    "  ome-trafficmap run --store dir:/var/lib/ome --config multicluster.json\n"
    "  ome-trafficmap run --store kube --config-map ome-observer/ome-observer-config\n"
    "  ome-trafficmap run --store kube --kubeconfig FILE --config multicluster.json\n"
    "  curl localhost:7470/status                       what it is doing\n"
    "  curl localhost:7470/v1/maps/NS/NAME/explain      why the weights are so\n"
    "\n"
    "Exit codes: 0 ended in order, 1 the address cannot be used, 2 wrong usage, 78 bad "
    "configuration.";

int run_controller(const RunOptions& options) {
    net::hold_hangup();
    std::string out;
    std::string err;
    auto prepared = prepare_run(options, net::process_environment(), out, err);
    std::fputs(err.c_str(), stderr);
    if (const int* code = std::get_if<int>(&prepared)) {
        return net::exit_code_of(net::print(out), *code);
    }
    RunSettings& settings = std::get<RunSettings>(prepared);
    const std::size_t descriptors = net::raise_descriptor_limit();
    if (descriptors < fewest_descriptors) {
        fmt::print(stderr,
                   "ome-trafficmap: the descriptor limit {} is too low: it must be at least {} "
                   "(ulimit -n)\n",
                   descriptors,
                   fewest_descriptors);
        return failure;
    }
    // A quarter: files, and the connections to the store and the observer, must not want for them.
    settings.app.api_connections = std::min(settings.app.api_connections, descriptors / 4);
    auto logging = telemetry::log::Logging::start(
        {.format = settings.log_format, .level = settings.log_level});
    if (!logging) {
        fmt::print(stderr, "ome-trafficmap: {}\n", logging.error().message);
        return failure;
    }
    for (const std::string& warning : settings.warnings) {
        telemetry::log::warn("a setting is not taken as it is written", {{"warning", warning}});
    }
    auto app = App::create(settings.app);
    if (!app) {
        fmt::print(stderr, "ome-trafficmap: {}\n", app.error().message);
        return app.error().field == "listen" ? failure : bad_configuration;
    }
    return (*app)->run() ? 0 : failure;
}

}  // namespace

void add_run_command(CLI::App& app, Run& run) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* command =
        app.add_subcommand("run", "Keep TrafficMaps in step with services and their homes");
    command->footer(footer);
    add_run_options(*command, *options);
    command->callback([options, &run] {
        options->variables = net::process_variables();
        run = [options] { return run_controller(*options); };
    });
}

}  // namespace ome::controller
