// The subcommands of ome-trafficmap. Each registers itself with its options and, when chosen, sets
// `run` to what it does; `run` returns the exit code (0 ok, 1 failure, 2 usage, 78 bad
// configuration).
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace ome::controller {

using Run = std::function<int()>;

void add_run_command(CLI::App& app, Run& run);
void add_render_command(CLI::App& app, Run& run);
void add_check_command(CLI::App& app, Run& run);
void add_diff_command(CLI::App& app, Run& run);

}  // namespace ome::controller
