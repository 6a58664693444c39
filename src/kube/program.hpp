// A program that is run for what it prints. Blocks: for a thread of its own.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ome::kube {

struct ProgramRun {
    std::string command;  ///< looked for on PATH when it has no slash
    std::vector<std::string> args;
    std::vector<std::pair<std::string, std::string>> env;  ///< besides our own
    core::Duration time_limit = std::chrono::seconds(30);
    std::size_t most_output = std::size_t{1} << 20;
};

/// What it printed when it exited with 0. It has no standard input and is ended (SIGKILL) when its
/// time is over. Problem: the command and why, with the end of what it printed on standard error;
/// never what it printed for us.
[[nodiscard]] core::Result<std::string> run_program(const ProgramRun& run);

}  // namespace ome::kube
