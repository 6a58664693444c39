// The command line of ome-trafficmap.
#pragma once

namespace ome::controller {

/// The exit code: 0 ok, 1 failure, 2 wrong usage, 78 bad configuration.
[[nodiscard]] int run_cli(int argc, const char* const* argv);

}  // namespace ome::controller
