// One panel of the plot of `replay`: what a policy made of the recording.
#include "replay_plot_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace ome::observer::plot {
namespace {

using core::Drop;
using core::RealChange;
using core::ReplayStep;
using core::StepKind;
using svg::number;

constexpr std::size_t most_time_ticks = 10;
constexpr std::size_t many_reports = 400;
constexpr std::size_t most_explained = 80;

void draw_axes(Canvas& canvas, const Scale& scale) {
    for (const std::int32_t count : svg::count_ticks(scale.top())) {
        const double y = scale.y(count);
        canvas.line(left, y, right, y, "grid");
        canvas.text(left - 8, y + 4, "tick end", fmt::to_string(count));
    }
    for (const svg::TimeTick& tick : svg::time_ticks(scale.from(), scale.to(), most_time_ticks)) {
        const double x = left + tick.share * (right - left);
        canvas.line(x, chart_top, x, probes_at + 8, "grid");
        const bool near_the_end = x > right - 24;
        canvas.text(near_the_end ? right : x,
                    labels_at,
                    near_the_end ? "tick end" : "tick middle",
                    tick.label);
    }
    canvas.line(left, chart_bottom, right, chart_bottom, "axis");
    canvas.add(
        R"x(<text transform="translate(30 {}) rotate(-90)" class="tick middle">replicas</text>)x",
        number((chart_top + chart_bottom) / 2));
    canvas.text(left - 8, rail_at + 4, "tick end", "lag");
    canvas.text(left - 8, polls_at + 4, "tick end", "polls");
    canvas.text(left - 8, probes_at + 4, "tick end", "probes");
}

void draw_lines(Canvas& canvas,
                const Scale& scale,
                const std::vector<ReplayStep>& steps,
                std::int32_t plan) {
    svg::StepLine area;
    svg::StepLine ceiling;
    for (const ReplayStep& step : steps) {
        const double x = scale.x(step.at);
        area.to(x, scale.y(core::gets(step, plan)));
        ceiling.to(x, step.ceiling ? std::optional(scale.y(*step.ceiling)) : std::nullopt);
    }
    canvas.path(area.end_above(right, chart_bottom), "gets");
    canvas.line(left, scale.y(plan), right, scale.y(plan), "plan");
    canvas.path(ceiling.end(right), "ceiling");
}

// Of many only the highest and the lowest of a pixel: a drop is never lost.
void draw_reports(Canvas& canvas, const Scale& scale, const std::vector<ReplayStep>& steps) {
    std::map<int, std::set<std::int32_t>> columns;
    std::size_t count = 0;
    for (const ReplayStep& step : steps) {
        if (step.kind == StepKind::Report) {
            ++count;
            columns[static_cast<int>(std::lround(scale.x(step.at)))].insert(step.servable);
        }
    }
    const bool many = count > many_reports;
    for (const auto& [x, counts] : columns) {
        const std::set<std::int32_t> both_ends{*counts.begin(), *counts.rbegin()};
        for (const std::int32_t one : many ? both_ends : counts) {
            canvas.dot(x, scale.y(one), many ? 1.5 : 3);
        }
    }
}

// Gated times that meet in one pixel are one.
void draw_gates(Canvas& canvas, const Scale& scale, const std::vector<ReplayStep>& steps) {
    std::optional<double> begin;
    double drawn_to = left;
    const auto draw = [&](double to) {
        const double from = std::max(*begin, drawn_to);
        const double until = std::max(to, from + 1);
        canvas.gate(from, until, probes_at);
        drawn_to = until;
        begin.reset();
    };
    for (const ReplayStep& step : steps) {
        const double x = scale.x(step.at);
        if (step.gated && !begin) {
            begin = x;
        } else if (!step.gated && begin && x >= drawn_to) {
            draw(x);
        } else if (!step.gated) {
            begin.reset();
        }
    }
    if (begin) {
        draw(right);
    }
}

void draw_attempts(Canvas& canvas, const Scale& scale, const std::vector<ReplayStep>& steps) {
    std::set<int> failed_polls;
    std::set<int> passes;
    std::set<int> failures;
    for (const ReplayStep& step : steps) {
        const int x = static_cast<int>(std::lround(scale.x(step.at)));
        if (step.kind == StepKind::FailedPoll) {
            failed_polls.insert(x);
        } else if (step.kind == StepKind::Pass) {
            passes.insert(x);
        } else if (step.kind == StepKind::Failure) {
            failures.insert(x);
        }
    }
    std::string ticks;
    for (const int x : passes) {
        ticks += fmt::format("M{} {}v7", x, number(probes_at - 3.5));
    }
    canvas.path(ticks, "pass");
    for (const int x : failed_polls) {
        canvas.cross(x, polls_at);
    }
    for (const int x : failures) {
        canvas.cross(x, probes_at);
    }
}

std::string words_of(const RealChange& change) {
    const std::string what = fmt::format("{} UTC: what the home can serve went from {} to {}",
                                         clock_of(change.at),
                                         change.from,
                                         change.to);
    switch (change.ending) {
        case RealChange::Ending::Followed:
            return fmt::format(
                "{}; the ceiling followed after {}", what, lag_text(change.until - change.at));
        case RealChange::Ending::Overtaken:
            return what + "; the ceiling had not followed when it changed again";
        case RealChange::Ending::Pending:
            break;
    }
    return what + "; the ceiling had not followed by the end";
}

void draw_lag(Canvas& canvas, double from, double to, const RealChange& change) {
    const bool followed = change.ending == RealChange::Ending::Followed;
    std::string data = fmt::format("M{0} {1}v10M{0} {2}H{3}",
                                   number(from),
                                   number(rail_at - 5),
                                   number(rail_at),
                                   number(std::max(to, from + 1)));
    if (followed) {
        data += fmt::format("M{} {}v10", number(to), number(rail_at - 5));
    }
    canvas.add(R"(<path d="{}" class="{}"><title>{}</title></path>)",
               data,
               followed ? "lag" : "lag never",
               svg::escape(words_of(change)));
}

// Of so many that they would stand close, neither numbers nor lines down to the reports say
// anything.
void explain_lags(Canvas& canvas, const Scale& scale, const std::vector<RealChange>& changes) {
    double written_to = left;
    for (const RealChange& change : changes) {
        const double from = scale.x(change.at);
        const double middle = (from + scale.x(change.until)) / 2;
        canvas.line(from, rail_at + 5, from, chart_bottom, "since");
        if (change.ending == RealChange::Ending::Followed && middle - 20 > written_to) {
            canvas.text(middle,
                        rail_at - 8,
                        "small middle",
                        svg::escape(lag_text(change.until - change.at)));
            written_to = middle + 20;
        }
    }
}

void draw_lags(Canvas& canvas, const Scale& scale, const std::vector<RealChange>& changes) {
    std::set<int> begun;  // the same place twice is one line; its first has the longest lag
    for (const RealChange& change : changes) {
        const double from = scale.x(change.at);
        if (begun.insert(static_cast<int>(std::lround(from))).second) {
            draw_lag(canvas, from, scale.x(change.until), change);
        }
    }
    if (changes.size() <= most_explained) {
        explain_lags(canvas, scale, changes);
    }
}

std::string words_of(const Drop& drop) {
    return fmt::format("{} UTC: the {} lowered the home from {} to {}{}",
                       clock_of(drop.at),
                       drop.cause == Drop::Cause::Gate ? "gate" : "ceiling",
                       drop.from,
                       drop.to,
                       drop.verdict == Drop::Verdict::False
                           ? ", and the next readings show that nothing had been lost"
                           : ", and the recording ends before that is known to be right");
}

void draw_drops(Canvas& canvas, const Scale& scale, const std::vector<Drop>& drops) {
    for (const Drop::Verdict verdict : {Drop::Verdict::Undecided, Drop::Verdict::False}) {
        std::set<int> drawn;
        for (const Drop& drop : drops) {
            const double x = scale.x(drop.at);
            if (drop.verdict == verdict && drawn.insert(static_cast<int>(std::lround(x))).second) {
                canvas.triangle(x,
                                scale.y(drop.from) - 3,
                                verdict == Drop::Verdict::False ? "false" : "undecided",
                                svg::escape(words_of(drop)));
            }
        }
    }
}

}  // namespace

std::string lag_words(const core::ReplayFigures& figures) {
    if (figures.changes.empty()) {
        return "no real change of what the home can serve";
    }
    const std::size_t followed = figures.count(RealChange::Ending::Followed);
    const std::string first = fmt::format("{} of {} real {} followed",
                                          followed,
                                          figures.changes.size(),
                                          figures.changes.size() == 1 ? "change" : "changes");
    return followed == 0 ? first
                         : fmt::format("{}, lag {} (median) to {} (longest)",
                                       first,
                                       lag_text(figures.median_lag()),
                                       lag_text(figures.longest_lag()));
}

std::string drop_words(const core::ReplayFigures& figures) {
    const std::size_t undecided = figures.count(Drop::Verdict::Undecided);
    return fmt::format("{} of {} {} false{}",
                       figures.count(Drop::Verdict::False),
                       figures.drops.size(),
                       figures.drops.size() == 1 ? "drop" : "drops",
                       undecided == 0 ? "" : fmt::format(", {} undecided", undecided));
}

void draw_panel(Canvas& canvas, const Scale& scale, const PolicyTrial& trial, std::int32_t plan) {
    canvas.add(
        R"(<text x="24" y="16" class="name">{}<tspan class="muted" dx="10">{}</tspan></text>)",
        svg::escape(trial.name, 48),
        svg::escape(summary_of(trial.policies)));
    canvas.text(
        margin,
        36,
        "figures",
        svg::escape(lag_words(trial.figures)) + " · " + svg::escape(drop_words(trial.figures)));
    draw_axes(canvas, scale);
    draw_lines(canvas, scale, trial.steps, plan);
    draw_lags(canvas, scale, trial.figures.changes);
    draw_reports(canvas, scale, trial.steps);
    draw_gates(canvas, scale, trial.steps);
    draw_attempts(canvas, scale, trial.steps);
    draw_drops(canvas, scale, trial.figures.drops);
}

}  // namespace ome::observer::plot
