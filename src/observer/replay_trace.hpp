// Follows one home through a recording, under several policies at once.
#pragma once

#include "replay.hpp"
#include "replay_comparison.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ome::observer {

/// A policy to try. Absent policies: those that the recording declares.
struct PolicyUnderTrial {
    std::string name;
    std::optional<wire::ReplayPolicies> policies;
};

class ReplayTrace {
public:
    static constexpr std::size_t most_steps = 1'000'000;
    static constexpr std::size_t most_homes = 10'000;  ///< that are told as the others

    /// `home`: HOME or SERVICE/HOME; empty: the first one with an attempt.
    ReplayTrace(std::vector<PolicyUnderTrial> policies, std::string home);

    /// A problem: no policy could do anything with it.
    [[nodiscard]] std::optional<core::Problem> apply(const wire::ReplayEvent& event);

    /// With the figures. `plan` absent: the highest report. A problem names the homes there are.
    /// Once, at the end.
    [[nodiscard]] core::Result<ReplayComparison> compare(std::optional<std::int32_t> plan,
                                                         std::size_t confirm);

private:
    struct Trial {
        std::string name;
        Replay replay;
        std::vector<core::ReplayStep> steps = {};
        std::optional<core::WallTime> valid_until = {};  ///< of the home's ceiling
    };

    void choose(const wire::ReplayEvent& event);
    [[nodiscard]] bool concerns(const wire::ReplayEvent& event) const;
    [[nodiscard]] std::optional<core::Problem> apply_to(Trial& trial,
                                                        const wire::ReplayEvent& event);
    void let_expire(Trial& trial, core::WallTime until);
    bool look(Trial& trial, core::WallTime at);
    void add(Trial& trial,
             const wire::ReplayEvent& event,
             const core::HomeReading& reading,
             core::StepKind kind);
    [[nodiscard]] core::Problem no_home() const;

    std::vector<Trial> trials_;
    std::string wanted_;
    bool chosen_ = false;
    bool cut_ = false;
    std::string service_;
    std::string home_;
    std::string endpoint_;  ///< of its last attempt
    std::set<std::string> others_;
};

}  // namespace ome::observer
