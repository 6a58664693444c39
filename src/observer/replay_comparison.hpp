// One home of a recording under several policies: what each of them made of it, and what `replay`
// prints of that.
#pragma once

#include <ome/core/replay_figures.hpp>
#include <ome/wire/replay_document.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ome::observer {

struct PolicyTrial {
    std::string name;
    wire::ReplayPolicies policies;  ///< those of the last event
    std::vector<core::ReplayStep> steps;
    core::ReplayFigures figures;
};

struct ReplayComparison {
    std::string service;  ///< empty: the recording names none
    std::string home;
    bool plan_given = false;
    core::FigureRules rules;
    bool cut = false;                      ///< later events were left out
    std::vector<std::string> other_homes;  ///< SERVICE/HOME, in order, as far as they are kept
    std::vector<PolicyTrial> trials;       ///< with the same events
};

/// `worker-b of prod/chat`, fit for a terminal.
[[nodiscard]] std::string name_of_home(const ReplayComparison& comparison);

/// `2s`, `1.52s`, and `-` without one.
[[nodiscard]] std::string lag_text(std::optional<core::Duration> lag);

/// `samples 4, quorum 3, maxAge 40s; gated after 3 failures, open after 2 passes`
[[nodiscard]] std::string summary_of(const wire::ReplayPolicies& policies);

/// `45 reports, 1 failed poll, 45 probes`
[[nodiscard]] std::string readings_text(const std::vector<core::ReplayStep>& steps);

/// For people: a line about the home, and a table with a row for each policy.
[[nodiscard]] std::string comparison_table(const ReplayComparison& comparison);

/// For programs: one document with every change and drop.
[[nodiscard]] std::string comparison_json(const ReplayComparison& comparison);

}  // namespace ome::observer
