#include "cli.hpp"
#include <ome/core/version.hpp>
#include <ome/net/process_signals.hpp>

int main(int argc, char** argv) {
    ome::net::survive_failed_writes();
    return ome::kubectl::run_cli(argc, argv, ome::core::built_commit());
}
