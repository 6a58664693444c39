// `ome-trafficmap render`
#include "render_command.hpp"

#include "commands.hpp"
#include <ome/net/standard_output.hpp>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

namespace ome::controller {
namespace {

core::WallTime time_of_day() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    const auto count = std::chrono::duration_cast<core::Duration>(since).count();
    return {count / 1'000'000'000, static_cast<std::int32_t>(count % 1'000'000'000)};
}

bool color_wanted() {
    const char* no_color = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

int render_and_print(const RenderOptions& options) {
    const RenderOutcome outcome = run_render(options, std::cin, time_of_day());
    const net::Printed told = net::print_to(stderr, outcome.err);
    return net::exit_code_of(net::print(outcome.out), net::exit_code_of(told, outcome.exit_code));
}

constexpr const char* footer =
    "Nothing is written: the maps go to standard output, several of them as a List in input "
    "order.\n"
    "A service that is not routed, or that the controller would freeze, is an error; the others "
    "are\n"
    "printed all the same. A file that cannot be used is an error after which nothing is printed.\n"
    "In a reading, a missing policyDigest counts as matching, and a missing `conclusive` is true\n"
    "when the result is Passing or Failing; what of a reading is not used is said on standard "
    "error.\n"
    "Without a reading a home has no capacity report yet, and the gate that --map holds for it.\n"
    "A manifest without uid or generation has those that the folder store gives it; one below\n"
    "inferenceservices/NAMESPACE/ that names no namespace is in that one.\n"
    "\n"
    "Examples:\n"
    "  ome-trafficmap render --isvc isvc.yaml -o table --explain\n"
    "  kubectl get isvc -A -o json | ome-trafficmap render --isvc - --map maps.json\n"
    "  curl -s localhost:7460/v1/services |\n"
    "      ome-trafficmap render --isvc isvc.yaml --readings -\n"
    "\n"
    "Exit codes: 0 ok, 1 a file or a service has an error, 2 wrong usage, 78 bad configuration.";

}  // namespace

void add_render_command(CLI::App& app, Run& run) {
    const auto options = std::make_shared<RenderOptions>();
    CLI::App* command = app.add_subcommand(
        "render", "Print the TrafficMaps that follow from files, without writing them anywhere");
    command
        ->add_option("--isvc",
                     options->isvc,
                     "InferenceServices in JSON or YAML: one, several documents, or a List; - is "
                     "standard input")
        ->required();
    command->add_option("--readings",
                        options->readings,
                        "Readings as the observer answers them, for one service or a list");
    command->add_option("--map", options->maps, "The stored TrafficMaps");
    command->add_option("--config",
                        options->config,
                        "The multicluster configuration or its ConfigMap; without it routing is on "
                        "with the limits of the chart");
    command->add_flag("--explain",
                      options->explain,
                      "Say how each weight comes about: below the table, otherwise on standard "
                      "error");
    command->add_option("--now", options->now, "The instant to render for, in RFC 3339 (now)");
    command->add_option("--output,-o", options->output, "yaml, json or table")
        ->check(CLI::IsMember({"yaml", "json", "table"}))
        ->capture_default_str();
    command->footer(footer);
    command->callback([options, &run] {
        options->color = options->output == "table" && color_wanted();
        run = [options] { return render_and_print(*options); };
    });
}

}  // namespace ome::controller
