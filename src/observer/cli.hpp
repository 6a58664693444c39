// The command line as a whole: subcommands, help, version, exit codes.
#pragma once

namespace ome::observer {

/// 0 ok, 1 failure, 2 usage, 78 bad configuration.
int run_cli(int argc, const char* const* argv);

}  // namespace ome::observer
