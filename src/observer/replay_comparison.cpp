#include "replay_comparison.hpp"

#include <ome/core/duration.hpp>
#include <ome/core/text.hpp>
#include <ome/core/text_table.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace ome::observer {
namespace {

namespace json = boost::json;

using core::counted;
using core::Drop;
using core::RealChange;
using core::StepKind;
using Ending = RealChange::Ending;
using Verdict = Drop::Verdict;

constexpr std::size_t longest_name = 60;

core::Row headings() {
    core::Row row;
    for (const char* heading : {"POLICY",
                                "CHANGES",
                                "FOLLOWED",
                                "LAG MEDIAN",
                                "LAG LONGEST",
                                "OVERTAKEN",
                                "PENDING",
                                "DROPS",
                                "FALSE",
                                "UNDECIDED"}) {
        row.emplace_back(heading);
    }
    return row;
}

core::Row row_of(const PolicyTrial& trial) {
    const core::ReplayFigures& figures = trial.figures;
    return {core::sanitize_detail(trial.name, longest_name),
            fmt::to_string(figures.changes.size()),
            fmt::to_string(figures.count(Ending::Followed)),
            lag_text(figures.median_lag()),
            lag_text(figures.longest_lag()),
            fmt::to_string(figures.count(Ending::Overtaken)),
            fmt::to_string(figures.count(Ending::Pending)),
            fmt::to_string(figures.drops.size()),
            fmt::to_string(figures.count(Verdict::False)),
            fmt::to_string(figures.count(Verdict::Undecided))};
}

std::string_view word_of(Ending ending) {
    switch (ending) {
        case Ending::Followed:
            return "followed";
        case Ending::Overtaken:
            return "overtaken";
        case Ending::Pending:
            break;
    }
    return "pending";
}

std::string_view word_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::Right:
            return "right";
        case Verdict::False:
            return "false";
        case Verdict::Undecided:
            break;
    }
    return "undecided";
}

json::value milliseconds(std::optional<core::Duration> lag) {
    return lag ? json::value(lag->count() / 1'000'000) : json::value(nullptr);
}

json::object to_json(const RealChange& change) {
    return {{"at", core::format_timestamp(change.at)},
            {"from", change.from},
            {"to", change.to},
            {"ending", word_of(change.ending)},
            {"until", core::format_timestamp(change.until)}};
}

json::object to_json(const Drop& drop) {
    return {{"at", core::format_timestamp(drop.at)},
            {"cause", drop.cause == Drop::Cause::Gate ? "gate" : "ceiling"},
            {"from", drop.from},
            {"to", drop.to},
            {"verdict", word_of(drop.verdict)}};
}

json::object to_json(const PolicyTrial& trial) {
    const core::ReplayFigures& figures = trial.figures;
    json::array changes;
    for (const RealChange& change : figures.changes) {
        changes.push_back(to_json(change));
    }
    json::array drops;
    for (const Drop& drop : figures.drops) {
        drops.push_back(to_json(drop));
    }
    json::object counts{{"changes", figures.changes.size()},
                        {"followed", figures.count(Ending::Followed)},
                        {"overtaken", figures.count(Ending::Overtaken)},
                        {"pending", figures.count(Ending::Pending)},
                        {"medianLagMilliseconds", milliseconds(figures.median_lag())},
                        {"longestLagMilliseconds", milliseconds(figures.longest_lag())},
                        {"drops", figures.drops.size()},
                        {"falseDrops", figures.count(Verdict::False)},
                        {"undecidedDrops", figures.count(Verdict::Undecided)}};
    return {{"policy", core::sanitize_detail(trial.name)},
            {"figures", std::move(counts)},
            {"changes", std::move(changes)},
            {"drops", std::move(drops)}};
}

std::string times_of(const std::vector<core::ReplayStep>& steps) {
    if (steps.empty()) {
        return "never";
    }
    return fmt::format("{} to {}",
                       core::format_timestamp(steps.front().at),
                       core::format_timestamp(steps.back().at));
}

}  // namespace

std::string name_of_home(const ReplayComparison& comparison) {
    const std::string home = core::sanitize_detail(comparison.home, longest_name);
    return comparison.service.empty()
               ? home
               : fmt::format(
                     "{} of {}", home, core::sanitize_detail(comparison.service, 2 * longest_name));
}

std::string lag_text(std::optional<core::Duration> lag) {
    using Centiseconds = std::chrono::duration<std::int64_t, std::centi>;
    return lag ? core::format_duration(std::chrono::round<Centiseconds>(*lag)) : "-";
}

std::string summary_of(const wire::ReplayPolicies& policies) {
    std::string text = "no polls";
    if (policies.capacity) {
        text = fmt::format("samples {}, quorum {}, maxAge {}",
                           policies.capacity->samples,
                           policies.capacity->quorum,
                           core::format_duration(policies.capacity->max_age));
    }
    if (!policies.probe) {
        return text + "; no probes";
    }
    return fmt::format(
        "{}; gated after {}, open after {}",
        text,
        counted(static_cast<std::size_t>(policies.probe->failure_threshold), "failure", "failures"),
        counted(static_cast<std::size_t>(policies.probe->success_threshold), "pass", "passes"));
}

std::string readings_text(const std::vector<core::ReplayStep>& steps) {
    const auto of = [&steps](StepKind kind) {
        return static_cast<std::size_t>(std::count_if(
            steps.begin(), steps.end(), [kind](const auto& one) { return one.kind == kind; }));
    };
    return fmt::format("{}, {}, {}",
                       counted(of(StepKind::Report), "report", "reports"),
                       counted(of(StepKind::FailedPoll), "failed poll", "failed polls"),
                       counted(of(StepKind::Pass) + of(StepKind::Failure), "probe", "probes"));
}

std::string comparison_table(const ReplayComparison& comparison) {
    std::vector<core::Row> rows{headings()};
    for (const PolicyTrial& trial : comparison.trials) {
        rows.push_back(row_of(trial));
    }
    const auto& steps = comparison.trials.front().steps;
    return fmt::format("{}, {}, plan {}{}, {}\n\n{}",
                       name_of_home(comparison),
                       times_of(steps),
                       comparison.rules.plan,
                       comparison.plan_given ? "" : " (the highest report)",
                       readings_text(steps),
                       core::align(rows, false));
}

std::string comparison_json(const ReplayComparison& comparison) {
    json::array policies;
    for (const PolicyTrial& trial : comparison.trials) {
        policies.push_back(to_json(trial));
    }
    const auto& steps = comparison.trials.front().steps;
    const json::object document{
        {"service", core::sanitize_detail(comparison.service)},
        {"home", core::sanitize_detail(comparison.home)},
        {"plan", comparison.rules.plan},
        {"confirm", comparison.rules.confirm},
        {"from", core::format_timestamp(steps.front().at)},
        {"to", core::format_timestamp(steps.back().at)},
        {"otherHomes", json::value_from(comparison.other_homes)},
        {"policies", std::move(policies)},
    };
    return wire::to_text(document) + "\n";
}

}  // namespace ome::observer
