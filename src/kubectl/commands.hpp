// The commands of the plugin. Each registers itself with its options and, when chosen, sets `run`
// to what it does; `run` returns the exit code. These are the contract's and not those of our other
// programs: 0 done, 1 anything else, 3 a drain that somebody else's write came before.
#pragma once

#include "session.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace ome::kubectl {

using Run = std::function<int(Session&)>;

inline constexpr int conflict_code = 3;

/// Each adds itself below `app`: `get`, `placement`, ... are made where they are missing.
void add_get_command(CLI::App& app, Run& run);
void add_endpoint_command(CLI::App& app, Run& run);
void add_drain_commands(CLI::App& app, Run& run);
void add_why_command(CLI::App& app, Run& run);
void add_top_command(CLI::App& app, Run& run);
void add_watch_command(CLI::App& app, Run& run);
void add_drain_cluster_commands(CLI::App& app, Run& run);
void add_completion_commands(CLI::App& app, Run& run);

/// The subcommand of this name, made where it is missing.
CLI::App& group(CLI::App& app, const char* name, const char* description);

}  // namespace ome::kubectl
