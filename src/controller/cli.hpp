// The command line of ome-trafficmap.
#pragma once

#include <string_view>

namespace ome::controller {

/// `commit`: what `--version` tells besides. The exit code: 0 ok, 1 failure, 2 wrong usage, 78 bad
/// configuration.
[[nodiscard]] int run_cli(int argc, const char* const* argv, std::string_view commit = {});

}  // namespace ome::controller
