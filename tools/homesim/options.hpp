// The command line of ome-homesim.
#pragma once

#include "server.hpp"
#include "services_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::homesim {

struct Options {
    std::vector<std::string> homes;
    ServerSettings server;
    std::string script_file;
    std::string ca_file;  ///< written at start; empty: not
    bool print_services = false;
    ServicesFile services;
};

/// Absent: there is nothing to run, and `exit_code` says how it ended (help, version, list, usage
/// error). `commit`: what `--version` tells besides.
[[nodiscard]] std::optional<Options> read_options(int argc,
                                                  char** argv,
                                                  int& exit_code,
                                                  std::string_view commit = {});

}  // namespace ome::homesim
