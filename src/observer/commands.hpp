// The subcommands of ome-observer. Each registers itself with its options and, when chosen, sets
// `run` to what it does; `run` returns the exit code (0 ok, 1 failure, 2 usage, 78 bad
// configuration).
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace ome::observer {

using Run = std::function<int()>;

void add_serve_command(CLI::App& app, Run& run);
void add_status_command(CLI::App& app, Run& run);
void add_replay_command(CLI::App& app, Run& run);
void add_check_command(CLI::App& app, Run& run);
void add_bundle_command(CLI::App& app, Run& run);

}  // namespace ome::observer
