#include "cli.hpp"

#include "commands.hpp"
#include <ome/core/usage.hpp>
#include <ome/core/version.hpp>
#include <ome/net/help_layout.hpp>
#include <ome/net/usage_message.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace ome::controller {
namespace {

constexpr int usage_error = 2;

// What exists; a command that is added to the program is added here.
constexpr std::array commands{
    add_run_command,
    add_render_command,
    add_check_command,
    add_diff_command,
};

constexpr const char* description =
    "Turns placement and readings of multi-cluster InferenceServices into TrafficMaps.";

constexpr const char* footer =
    "Examples:\n"
    "  ome-trafficmap run --store dir:/var/lib/ome --config multicluster.json\n"
    "  ome-trafficmap run --store kube --config multicluster.json\n"
    "  ome-trafficmap render --isvc isvc.yaml           the map that would be written\n"
    "  ome-trafficmap render --isvc isvc.yaml -o table --explain\n"
    "  curl -s localhost:7460/v1/services |\n"
    "      ome-trafficmap render --isvc isvc.yaml --readings -\n"
    "  ome-trafficmap check values.yaml isvc.yaml       what is wrong with them\n"
    "\n"
    "Each command has a --help of its own.\n"
    "\n"
    "Exit codes: 0 ok, 1 failure, 2 wrong usage, 78 bad configuration.";

}  // namespace

int run_cli(int argc, const char* const* argv, std::string_view commit) {
    CLI::App app(description, "ome-trafficmap");
    net::lay_out_help(app);
    app.footer(footer);
    app.set_version_flag("--version", core::version_text("ome-trafficmap", commit));
    app.require_subcommand(1);
    app.failure_message(net::usage_message);
    Run run;
    for (const auto add : commands) {
        add(app, run);
    }
    std::vector<std::string> words = core::with_empty_values({argv + 1, argv + argc});
    std::reverse(words.begin(), words.end());  // as CLI11 wants a list
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        return net::end_of_parse(app, error, usage_error);
    }
    return run ? run() : usage_error;
}

}  // namespace ome::controller
