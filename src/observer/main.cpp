#include "cli.hpp"
#include <ome/core/version.hpp>

#include <csignal>

int main(int argc, char** argv) {
    std::signal(SIGPIPE,
                SIG_IGN);  // a peer that leaves is an error code, not the end of the process
    return ome::observer::run_cli(argc, argv, ome::core::built_commit());
}
