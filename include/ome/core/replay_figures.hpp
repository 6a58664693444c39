// What a policy made of a recorded home, as two figures to tune it by: how late the ceiling was,
// and how often the home was lowered in vain. Both come from the recording alone, with hindsight.
//
// Counts are cut to 0 and the plan, since no home gets more than its plan. N is `confirm`.
//
// * What the home gets: nothing while it is gated, otherwise the ceiling, and the plan without one.
// * A real change: N reports in a row that are all above, or all below, what the home could serve
//   until then. It begins with the first of them, and leads to that of the N which is nearest to
//   what was before. Failed polls tell nothing of it.
// * The lag of a real change: from the arrival of its first report until the ceiling follows: until
//   it is at most the new count after a fall; at least that, or absent, after a rise. A change is
//   overtaken when one in the other direction begins first, and pending when the recording ends
//   first.
// * A drop: an event after which the home gets less than before. It is the gate's if the gate
// closed
//   with it, otherwise the ceiling's.
// * A false drop: the next N readings of its kind all show that nothing had been lost: reports of
// at
//   least what the home got before a drop of the ceiling's, passing probes after one of the gate's.
//   It is undecided while fewer than N follow and none of them speaks against it.
#pragma once

#include <ome/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ome::core {

enum class StepKind : std::uint8_t {
    Report,
    FailedPoll,
    Pass,
    Failure,  ///< of a probe
    Other,    ///< no reading: time passed, or what was declared changed
};

/// An event of a home, and what is known after it.
struct ReplayStep {
    WallTime at;
    StepKind kind = StepKind::Other;
    std::int32_t servable = 0;  ///< Report
    std::optional<std::int32_t> ceiling = {};
    bool gated = false;
};

struct FigureRules {
    std::int32_t plan = 0;
    std::size_t confirm = 2;  ///< at least 1
};

struct RealChange {
    enum class Ending : std::uint8_t { Followed, Overtaken, Pending };

    WallTime at;
    std::int32_t from = 0;
    std::int32_t to = 0;
    Ending ending = Ending::Pending;
    WallTime until;  ///< when it was followed or overtaken, or the last event
};

struct Drop {
    enum class Cause : std::uint8_t { Ceiling, Gate };
    enum class Verdict : std::uint8_t { Right, False, Undecided };

    WallTime at;
    Cause cause = Cause::Ceiling;
    Verdict verdict = Verdict::Undecided;
    std::int32_t from = 0;
    std::int32_t to = 0;
};

struct ReplayFigures {
    std::vector<RealChange> changes;
    std::vector<Drop> drops;

    [[nodiscard]] std::size_t count(RealChange::Ending ending) const;
    [[nodiscard]] std::size_t count(Drop::Verdict verdict) const;

    /// Over the changes that were followed; absent when none was.
    [[nodiscard]] std::optional<Duration> median_lag() const;
    [[nodiscard]] std::optional<Duration> longest_lag() const;
};

/// What the home gets after a step.
[[nodiscard]] std::int32_t gets(const ReplayStep& step, std::int32_t plan);

/// The highest count that was reported: the plan, as long as nobody knows a better one.
[[nodiscard]] std::int32_t highest_report(std::span<const ReplayStep> steps);

/// Of steps in the order of time.
[[nodiscard]] ReplayFigures figures_of(std::span<const ReplayStep> steps, const FigureRules& rules);

}  // namespace ome::core
