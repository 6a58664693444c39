#include "replay_tuning.hpp"

#include "replay_plot.hpp"
#include <ome/core/text.hpp>
#include <ome/net/named_file.hpp>
#include <ome/net/standard_output.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

namespace ome::observer {
namespace {

constexpr int exit_ok = 0;
constexpr int exit_failure = 1;
constexpr std::size_t most_named = 10;
constexpr std::string_view standard_output = "-";

int fail(const std::string& message) {
    std::cerr << "error: " << message << '\n';
    return exit_failure;
}

std::string note_on_others(const std::vector<std::string>& homes) {
    if (homes.empty()) {
        return {};
    }
    const auto named = static_cast<std::ptrdiff_t>(std::min(homes.size(), most_named));
    return fmt::format("{} more {} in the recording, and --home chooses: {}{}\n",
                       homes.size(),
                       homes.size() == 1 ? "home is" : "homes are",
                       fmt::join(homes.begin(), homes.begin() + named, ", "),
                       homes.size() > most_named ? ", ..." : "");
}

std::string text_of(const ReplayComparison& comparison, const TuningOptions& options) {
    if (options.json) {
        return comparison_json(comparison);
    }
    return fmt::format(
        "{}\nThe plot is in {}.\n{}{}",
        comparison_table(comparison),
        options.plot == standard_output ? "standard output" : core::sanitize_detail(options.plot),
        note_on_others(comparison.other_homes),
        comparison.cut ? fmt::format("Of longer recordings the first {} events of a "
                                     "home count.\n",
                                     ReplayTrace::most_steps)
                       : std::string());
}

// Of what is on standard output in part, nobody is told that it is there.
int put(const ReplayComparison& comparison, const TuningOptions& options, int code) {
    const std::string picture = draw_comparison(comparison, options.recording);
    if (options.plot == standard_output) {
        const net::Printed printed = net::print(picture);
        if (printed == net::Printed::Whole) {
            std::cerr << text_of(comparison, options);
        }
        return net::exit_code_of(printed, code);
    }
    if (const auto problem = net::replace_named_file(options.plot, picture)) {
        return fail("--plot " + problem->message);
    }
    return net::exit_code_of(net::print(text_of(comparison, options)), code);
}

}  // namespace

std::vector<std::string> names_of_policies(const std::vector<std::string>& paths) {
    std::vector<std::string> names;
    for (const std::string& path : paths) {
        names.push_back(std::filesystem::path(path).stem().string());
    }
    std::vector<std::string> told = names;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty() || std::count(names.begin(), names.end(), names[i]) > 1) {
            told[i] = paths[i];
        }
    }
    return told;
}

int compare_policies(const TuningOptions& options,
                     std::vector<PolicyUnderTrial> policies,
                     std::istream& events) {
    ReplayTrace trace(std::move(policies), options.home);
    const std::size_t left_out = read_events(
        options.source,
        events,
        [&trace](const wire::ReplayEvent& event) { return trace.apply(event); },
        [](bool) { return true; },
        std::cerr);
    const auto comparison = trace.compare(options.plan, options.confirm);
    if (!comparison) {
        const bool told = left_out > 0 && options.home.empty();
        return told ? exit_failure : fail(comparison.error().message);
    }
    return put(*comparison, options, left_out == 0 ? exit_ok : exit_failure);
}

}  // namespace ome::observer
