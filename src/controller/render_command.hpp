// The parts of `render` that its test looks at.
#pragma once

#include <ome/core/time.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace ome::controller {

struct RenderOptions {
    std::vector<std::string> isvc;  ///< names of files; `-` is the standard input
    std::vector<std::string> readings;
    std::vector<std::string> maps;
    std::string config;  ///< empty: routing is on, with the chart's limits
    std::string now;     ///< empty: the time of day
    std::string output = "yaml";
    bool explain = false;
    bool color = false;  ///< in tables
};

struct RenderOutcome {
    std::string out;
    std::string err;
    int exit_code = 0;
};

/// `now` is the time of day.
[[nodiscard]] RenderOutcome run_render(const RenderOptions& options,
                                       std::istream& standard_input,
                                       core::WallTime now);

}  // namespace ome::controller
