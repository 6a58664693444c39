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
#include <string_view>
#include <vector>

namespace ome::observer {
namespace {

constexpr int usage_error = 2;

// What exists; a command that is added to the program is added here.
constexpr std::array commands{
    add_serve_command,
    add_status_command,
    add_replay_command,
    add_check_command,
    add_bundle_command,
};

constexpr const char* description =
    "Polls the capacity and probes the health of the homes of multi-cluster services.";

constexpr const char* footer =
    "Examples:\n"
    "  ome-observer status                      what the observer here is doing\n"
    "  ome-observer status --watch              the same, once a second\n"
    "  ome-observer status --url unix:/run/ome/observer.sock --output json\n"
    "  ome-observer check multicluster.yaml     what is wrong with a configuration\n"
    "  ome-observer bundle                      what a bug report needs\n"
    "\n"
    "Each command has a --help of its own.\n"
    "\n"
    "Exit codes: 0 ok, 1 failure, 2 wrong usage, 78 bad configuration.";

}  // namespace

int run_cli(int argc, const char* const* argv, std::string_view commit) {
    CLI::App app(description, "ome-observer");
    net::lay_out_help(app);
    app.footer(footer);
    app.set_version_flag("--version", core::version_text("ome-observer", commit));
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

}  // namespace ome::observer
