// The command line as a whole: subcommands, help, version, exit codes.
#pragma once

#include <string_view>

namespace ome::observer {

/// `commit`: what `--version` tells besides. 0 ok, 1 failure, 2 usage, 78 bad configuration.
int run_cli(int argc, const char* const* argv, std::string_view commit = {});

}  // namespace ome::observer
