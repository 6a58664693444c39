#include <ome/core/replay_figures.hpp>

#include <algorithm>

namespace ome::core {
namespace {

using Steps = std::span<const ReplayStep>;

/// A report as far as it counts, and where it stands among the steps.
struct Told {
    std::size_t step = 0;
    std::int32_t count = 0;
};

std::int32_t within(std::int32_t count, std::int32_t plan) {
    return std::clamp(count, 0, std::max(plan, 0));
}

std::vector<Told> reports_of(Steps steps, std::int32_t plan) {
    std::vector<Told> reports;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind == StepKind::Report) {
            reports.push_back({i, within(steps[i].servable, plan)});
        }
    }
    return reports;
}

/// Where the reports from `first` on agree to: the nearest to `before` of `confirm` that are all on
/// one side of it. Absent: they do not agree, or the recording ends before they could.
std::optional<std::int32_t> confirmed(std::span<const Told> reports,
                                      std::size_t first,
                                      std::size_t confirm,
                                      std::int32_t before) {
    if (reports.size() - first < confirm) {
        return std::nullopt;
    }
    const bool falls = reports[first].count < before;
    std::int32_t nearest = reports[first].count;
    for (const Told& one : reports.subspan(first, confirm)) {
        if (one.count == before || (one.count < before) != falls) {
            return std::nullopt;
        }
        nearest = falls ? std::max(nearest, one.count) : std::min(nearest, one.count);
    }
    return nearest;
}

/// A change whose ending is not known yet.
struct Begun {
    RealChange change;
    std::size_t step = 0;
};

std::vector<Begun> changes_in(Steps steps, const FigureRules& rules) {
    const std::vector<Told> reports = reports_of(steps, rules.plan);
    std::vector<Begun> found;
    if (reports.empty()) {
        return found;
    }
    std::int32_t level = reports.front().count;
    for (std::size_t i = 1; i < reports.size(); ++i) {
        if (reports[i].count == level) {
            continue;
        }
        if (const auto to = confirmed(reports, i, std::max<std::size_t>(rules.confirm, 1), level)) {
            RealChange change;
            change.at = steps[reports[i].step].at;
            change.from = level;
            change.to = *to;
            found.push_back({change, reports[i].step});
            level = *to;
        }
    }
    return found;
}

bool follows(const ReplayStep& step, const RealChange& change) {
    if (change.to < change.from) {
        return step.ceiling && *step.ceiling <= change.to;
    }
    return !step.ceiling || *step.ceiling >= change.to;
}

bool falls(const RealChange& change) {
    return change.to < change.from;
}

// Where the first change after each in the other direction begins, or behind the last step.
std::vector<std::size_t> ends_of(const std::vector<Begun>& changes, std::size_t steps) {
    std::vector<std::size_t> ends(changes.size(), steps);
    for (std::size_t i = changes.size(); i-- > 1;) {
        const bool turns = falls(changes[i].change) != falls(changes[i - 1].change);
        ends[i - 1] = turns ? changes[i].step : ends[i];
    }
    return ends;
}

void end_with(RealChange& change, RealChange::Ending ending, WallTime until) {
    change.ending = ending;
    change.until = until;
}

// Changes in one direction go ever further, so where one is not followed yet the next one is not,
// either: the steps are gone through once.
std::vector<RealChange> ended(Steps steps, const std::vector<Begun>& changes) {
    const std::vector<std::size_t> ends = ends_of(changes, steps.size());
    std::vector<RealChange> all;
    std::size_t at = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        RealChange change = changes[i].change;
        at = std::max(at, changes[i].step);
        while (at < ends[i] && !follows(steps[at], change)) {
            ++at;
        }
        if (at < ends[i]) {
            end_with(change, RealChange::Ending::Followed, steps[at].at);
        } else if (ends[i] < steps.size()) {
            end_with(change, RealChange::Ending::Overtaken, steps[ends[i]].at);
        } else {
            end_with(change, RealChange::Ending::Pending, steps.back().at);
        }
        all.push_back(change);
    }
    return all;
}

/// What a reading says of a drop: nothing, or whether nothing had been lost.
std::optional<bool> says_nothing_was_lost(const ReplayStep& step,
                                          const Drop& drop,
                                          std::int32_t plan) {
    if (drop.cause == Drop::Cause::Ceiling) {
        return step.kind == StepKind::Report
                   ? std::optional(within(step.servable, plan) >= drop.from)
                   : std::nullopt;
    }
    const bool probe = step.kind == StepKind::Pass || step.kind == StepKind::Failure;
    return probe ? std::optional(step.kind == StepKind::Pass) : std::nullopt;
}

Drop::Verdict judge(Steps later, const Drop& drop, const FigureRules& rules) {
    std::size_t against = 0;
    for (const ReplayStep& step : later) {
        const auto said = says_nothing_was_lost(step, drop, rules.plan);
        if (said && !*said) {
            return Drop::Verdict::Right;
        }
        against += said ? 1U : 0U;
        if (against >= std::max<std::size_t>(rules.confirm, 1)) {
            return Drop::Verdict::False;
        }
    }
    return Drop::Verdict::Undecided;
}

std::vector<Drop> drops_in(Steps steps, const FigureRules& rules) {
    std::vector<Drop> drops;
    std::int32_t before = std::max(rules.plan, 0);
    bool gated = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::int32_t now = gets(steps[i], rules.plan);
        if (now < before) {
            Drop drop;
            drop.at = steps[i].at;
            drop.cause = steps[i].gated && !gated ? Drop::Cause::Gate : Drop::Cause::Ceiling;
            drop.from = before;
            drop.to = now;
            drop.verdict = judge(steps.subspan(i + 1), drop, rules);
            drops.push_back(drop);
        }
        before = now;
        gated = steps[i].gated;
    }
    return drops;
}

std::vector<Duration> lags_of(const ReplayFigures& figures) {
    std::vector<Duration> lags;
    for (const RealChange& change : figures.changes) {
        if (change.ending == RealChange::Ending::Followed) {
            lags.push_back(change.until - change.at);
        }
    }
    return lags;
}

}  // namespace

std::size_t ReplayFigures::count(RealChange::Ending ending) const {
    return static_cast<std::size_t>(std::count_if(
        changes.begin(), changes.end(), [&](const auto& one) { return one.ending == ending; }));
}

std::size_t ReplayFigures::count(Drop::Verdict verdict) const {
    return static_cast<std::size_t>(std::count_if(
        drops.begin(), drops.end(), [&](const auto& one) { return one.verdict == verdict; }));
}

std::optional<Duration> ReplayFigures::median_lag() const {
    std::vector<Duration> lags = lags_of(*this);
    if (lags.empty()) {
        return std::nullopt;
    }
    const auto middle = lags.begin() + static_cast<std::ptrdiff_t>((lags.size() - 1) / 2);
    std::nth_element(lags.begin(), middle, lags.end());
    return *middle;
}

std::optional<Duration> ReplayFigures::longest_lag() const {
    const std::vector<Duration> lags = lags_of(*this);
    const auto longest = std::max_element(lags.begin(), lags.end());
    return longest == lags.end() ? std::nullopt : std::optional(*longest);
}

std::int32_t gets(const ReplayStep& step, std::int32_t plan) {
    return step.gated ? 0 : within(step.ceiling.value_or(plan), plan);
}

std::int32_t highest_report(std::span<const ReplayStep> steps) {
    std::int32_t highest = 0;
    for (const ReplayStep& step : steps) {
        if (step.kind == StepKind::Report) {
            highest = std::max(highest, step.servable);
        }
    }
    return highest;
}

ReplayFigures figures_of(std::span<const ReplayStep> steps, const FigureRules& rules) {
    ReplayFigures figures;
    figures.changes = ended(steps, changes_in(steps, rules));
    figures.drops = drops_in(steps, rules);
    return figures;
}

}  // namespace ome::core
