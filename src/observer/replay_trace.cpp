#include "replay_trace.hpp"

#include <ome/core/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace ome::observer {
namespace {

using core::StepKind;
using wire::ReplayAction;
using wire::ReplayEvent;

constexpr std::size_t most_named = 10;

bool is_attempt(const ReplayEvent& event) {
    return event.action == ReplayAction::Poll || event.action == ReplayAction::Probe;
}

bool changes_what_is_known(const ReplayEvent& event) {
    return event.action == ReplayAction::Policy || event.action == ReplayAction::Declared ||
           event.action == ReplayAction::Forgotten;
}

std::string full_name(std::string_view service, std::string_view home) {
    return service.empty() ? std::string(home) : fmt::format("{}/{}", service, home);
}

bool is_no_result(const core::AttemptOutcome& outcome) {
    return outcome.fault == core::Fault::Cancelled || outcome.fault == core::Fault::Stalled;
}

StepKind kind_of_poll(const core::AttemptOutcome& outcome) {
    const auto* report = std::get_if<core::CapacityReport>(&outcome.report);
    const bool good =
        outcome.fault == core::Fault::None && report != nullptr && report->servable >= 0;
    return good ? StepKind::Report : StepKind::FailedPoll;
}

StepKind kind_of_probe(const core::HomeReading& reading) {
    if (!reading.probe || reading.probe->result == core::ProbeResult::Unknown) {
        return StepKind::Other;
    }
    return reading.probe->result == core::ProbeResult::Passing ? StepKind::Pass : StepKind::Failure;
}

StepKind kind_of(const ReplayEvent& event, const core::HomeReading& reading) {
    if (!is_attempt(event) || is_no_result(event.outcome)) {
        return StepKind::Other;
    }
    return event.action == ReplayAction::Poll ? kind_of_poll(event.outcome)
                                              : kind_of_probe(reading);
}

}  // namespace

ReplayTrace::ReplayTrace(std::vector<PolicyUnderTrial> policies, std::string home)
    : wanted_(std::move(home)) {
    for (PolicyUnderTrial& one : policies) {
        const Obey obey = one.policies ? Obey::Given : Obey::Declared;
        trials_.push_back({std::move(one.name), Replay(std::move(one.policies), obey)});
    }
}

void ReplayTrace::choose(const ReplayEvent& event) {
    if (!is_attempt(event)) {
        return;
    }
    const std::string name = full_name(event.service, event.home);
    if (!chosen_ && (wanted_.empty() || wanted_ == name || wanted_ == event.home)) {
        chosen_ = true;
        service_ = event.service;
        home_ = event.home;
    } else if (event.service != service_ || event.home != home_) {
        if (others_.size() < most_homes) {
            others_.insert(name);
        }
    }
}

bool ReplayTrace::concerns(const ReplayEvent& event) const {
    return chosen_ && event.service == service_ && event.home == home_;
}

std::optional<core::Problem> ReplayTrace::apply(const ReplayEvent& event) {
    choose(event);
    std::optional<core::Problem> first;
    std::size_t refused = 0;
    for (Trial& trial : trials_) {
        if (auto problem = apply_to(trial, event)) {
            ++refused;
            if (!first) {
                first = std::move(problem);
            }
        }
    }
    return refused == trials_.size() ? first : std::nullopt;
}

std::optional<core::Problem> ReplayTrace::apply_to(Trial& trial, const ReplayEvent& event) {
    const bool of_the_service =
        chosen_ && (event.service == service_ || event.action == ReplayAction::Policy ||
                    event.service.empty());
    if (of_the_service) {
        let_expire(trial, event.at);
    }
    const auto reading = trial.replay.apply(event);
    if (!reading) {
        return reading.error();
    }
    if (*reading != nullptr && concerns(event)) {
        endpoint_ = event.endpoint;
        add(trial, event, **reading, kind_of(event, **reading));
    } else if (of_the_service && changes_what_is_known(event) && !trial.steps.empty() &&
               !look(trial, event.at)) {
        trial.valid_until.reset();
        trial.steps.push_back({.at = event.at});  // it is a home no more
    }
    return std::nullopt;
}

// A ceiling ends by itself between two attempts. Each look moves the end, or takes it away.
void ReplayTrace::let_expire(Trial& trial, core::WallTime until) {
    while (trial.valid_until && *trial.valid_until < until) {
        if (!look(trial, *std::exchange(trial.valid_until, std::nullopt))) {
            return;
        }
    }
}

bool ReplayTrace::look(Trial& trial, core::WallTime at) {
    ReplayEvent event;
    event.at = at;
    event.action = ReplayAction::Read;
    event.service = service_;
    event.home = home_;
    event.endpoint = endpoint_;
    const auto reading = trial.replay.apply(event);
    if (reading && *reading != nullptr) {
        add(trial, event, **reading, StepKind::Other);
    }
    return reading && *reading != nullptr;
}

void ReplayTrace::add(Trial& trial,
                      const ReplayEvent& event,
                      const core::HomeReading& reading,
                      StepKind kind) {
    trial.valid_until = reading.capacity ? reading.capacity->valid_until : std::nullopt;
    if (trial.steps.size() >= most_steps) {
        cut_ = true;
        return;
    }
    core::ReplayStep step{.at = event.at, .kind = kind};
    if (kind == StepKind::Report) {
        step.servable = std::get<core::CapacityReport>(event.outcome.report).servable;
    }
    step.ceiling = reading.capacity ? reading.capacity->ceiling : std::nullopt;
    step.gated = reading.probe && reading.probe->gated;
    trial.steps.push_back(step);
}

core::Problem ReplayTrace::no_home() const {
    if (others_.empty()) {
        return {"no attempt of any home is in the recording that a policy could judge"};
    }
    std::vector<std::string> named;
    for (const std::string& other : others_) {
        if (named.size() < most_named) {
            named.push_back(core::sanitize_detail(other));
        }
    }
    return {fmt::format("--home {}: no attempt of it is in the recording, but of {}{}",
                        core::go_quote(core::sanitize_detail(wanted_)),
                        fmt::join(named, ", "),
                        others_.size() > named.size()
                            ? fmt::format(" and {} more", others_.size() - named.size())
                            : std::string())};
}

core::Result<ReplayComparison> ReplayTrace::compare(std::optional<std::int32_t> plan,
                                                    std::size_t confirm) {
    std::erase_if(trials_, [](const Trial& trial) { return trial.steps.empty(); });
    if (trials_.empty()) {
        return no_home();
    }
    ReplayComparison comparison;
    comparison.service = service_;
    comparison.home = home_;
    comparison.cut = cut_;
    comparison.plan_given = plan.has_value();
    comparison.rules = {plan ? *plan : core::highest_report(trials_.front().steps), confirm};
    for (const std::string& other : others_) {
        comparison.other_homes.push_back(core::sanitize_detail(other));
    }
    for (Trial& trial : trials_) {
        const wire::ReplayPolicies* policies = trial.replay.policies_of(service_);
        PolicyTrial one{std::move(trial.name),
                        policies != nullptr ? *policies : wire::ReplayPolicies{},
                        std::move(trial.steps),
                        {}};
        one.figures = core::figures_of(one.steps, comparison.rules);
        comparison.trials.push_back(std::move(one));
    }
    return comparison;
}

}  // namespace ome::observer
