// `replay --plot`: policies compared on one recording, as a picture and in figures.
#pragma once

#include "replay_events.hpp"
#include "replay_trace.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace ome::observer {

struct TuningOptions {
    std::string plot;  ///< the file to write; `-`: standard output
    std::string home;  ///< HOME or SERVICE/HOME; empty: the first
    std::optional<std::int32_t> plan;
    std::size_t confirm = 2;
    bool json = false;
    EventSource source;
    std::string recording;  ///< as people know it
};

/// How each of the files is called in the plot: by its name, or where two have the same one by its
/// path.
[[nodiscard]] std::vector<std::string> names_of_policies(const std::vector<std::string>& paths);

/// Reads the events to the end, writes the plot, and prints the figures. The exit code.
[[nodiscard]] int compare_policies(const TuningOptions& options,
                                   std::vector<PolicyUnderTrial> policies,
                                   std::istream& events);

}  // namespace ome::observer
