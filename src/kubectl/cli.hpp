// The command line of the plugin.
#pragma once

#include "session.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ome::kubectl {

/// `arguments[0]` is the name the program was called by. Returns the exit code.
int run_cli(std::vector<std::string> arguments, Environment& environment);

/// With the terminal, the clock and the stores of the process. `commit`: what `--version` tells
/// besides.
int run_cli(int argc, const char* const* argv, std::string_view commit = {});

/// A folder, or without a store the API server that kubectl would ask; the error's detail is a
/// whole message. `interrupted` ends waits of the latter.
[[nodiscard]] Answer<std::unique_ptr<Cluster>> open_cluster(const Connection& connection,
                                                            std::function<bool()> interrupted = {});

/// The commands as they exist, for completion: `use` gets the tree and whether a flag takes a value
/// can be asked of it.
void with_commands(const std::function<void(CLI::App&)>& use);

}  // namespace ome::kubectl
