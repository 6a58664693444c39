#include "replay.hpp"

#include <ome/core/endpoint.hpp>
#include <ome/core/timestamp.hpp>

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace ome::observer {
namespace {

using core::WallTime;
using wire::ReplayAction;
using wire::ReplayEvent;

void set_key(std::string& key, const ReplayEvent& event, std::string_view endpoint) {
    key.clear();
    for (const std::string_view part : {event.service, event.home, endpoint}) {
        fmt::format_to(std::back_inserter(key), "{}:", part.size());
        key += part;
    }
}

// Attempts are given and not planned, so the first one is the first deadline and nothing is spread.
void advance(std::optional<core::Schedule>& schedule, core::SteadyTime at, core::Duration period) {
    if (!schedule) {
        schedule = core::Schedule::steady(at, period);
    }
    schedule->advance(at);
}

core::Result<const core::HomeReading*> known(const core::HomeReading* reading) {
    return core::Result<const core::HomeReading*>(boost::system::in_place_value, reading);
}

template <typename Policy>
bool same(const std::optional<Policy>& a, const std::optional<Policy>& b) {
    return a.has_value() == b.has_value() && (!a || a->digest == b->digest);
}

}  // namespace

Replay::Replay(wire::ReplayPolicies policies) : policies_(std::move(policies)) {}

core::Result<const core::HomeReading*> Replay::apply(const ReplayEvent& event) {
    if (now_ && event.at < *now_) {
        return core::Problem{
            fmt::format("at: {} must not be before {}, the time of an earlier event",
                        core::format_timestamp(event.at),
                        core::format_timestamp(*now_)),
            "at"};
    }
    if (event.action == ReplayAction::Policy) {
        if (auto problem = change_policies(event.policies)) {
            return *problem;
        }
        now_ = event.at;
        return known(nullptr);
    }
    now_ = event.at;
    origin_ = origin_.value_or(event.at);
    History& history = history_of(event);
    if (event.action == ReplayAction::Poll) {
        poll(history, event);
    } else if (event.action == ReplayAction::Probe) {
        probe(history, event);
    }
    read(history, event.at);
    return known(&history.reading);
}

Replay::History& Replay::history_of(const ReplayEvent& event) {
    set_key(key_, event, event.endpoint);
    auto found = by_spelling_.find(key_);
    if (found == by_spelling_.end()) {
        std::string key = key_;
        found = by_spelling_.emplace(std::move(key), start(event)).first;
    }
    History& history = *found->second;
    history.reading.endpoint.assign(event.endpoint);
    return history;
}

// Virtual time has one clock. The steady side of it begins with the first event, since it spans
// fewer years than stamps do.
core::SteadyTime Replay::steady(WallTime at) const {
    return core::SteadyTime(at - origin_.value_or(at));
}

std::optional<WallTime> Replay::due(const std::optional<core::Schedule>& schedule) const {
    if (!schedule || !origin_) {
        return std::nullopt;
    }
    return *origin_ + schedule->due().time_since_epoch();
}

// Two spellings with the same canonical endpoint share a history (contract/observer.md 2).
std::shared_ptr<Replay::History> Replay::start(const ReplayEvent& event) {
    std::string target_error;
    std::string target;
    if (!event.endpoint.empty()) {
        auto endpoint = core::canonicalize(event.endpoint);
        target = endpoint ? endpoint->canonical : std::string(event.endpoint);
        target_error = endpoint ? std::string() : endpoint.error().message;
    }
    set_key(key_, event, target);
    std::shared_ptr<History>& history = by_identity_[key_];
    if (history == nullptr) {
        history = std::make_shared<History>();
        history->target_error = std::move(target_error);
        history->reading.cluster.assign(event.home);
        start_window(*history);
        start_gate(*history);
    }
    return history;
}

void Replay::start_window(History& history) const {
    history.window.reset();
    history.polls.reset();
    history.last_poll.reset();
    if (policies_.capacity && history.target_error.empty()) {
        history.window.emplace(core::window_rules(*policies_.capacity));
    }
}

void Replay::start_gate(History& history) const {
    history.gate.reset();
    history.probes.reset();
    if (policies_.probe && history.target_error.empty()) {
        history.gate.emplace(core::gate_rules(*policies_.probe));
    }
}

void Replay::poll(History& history, const ReplayEvent& event) const {
    if (!history.window) {
        return;
    }
    const auto verdict = core::judge_poll(*policies_.capacity, event.outcome, event.at);
    if (!verdict) {
        return;
    }
    if (const auto* report = std::get_if<core::CapacityReport>(&*verdict)) {
        history.window->accept(*report, event.at);
    } else {
        history.window->fail(std::get<std::string>(*verdict));
    }
    history.last_poll = event.at;
    advance(history.polls, steady(event.at), policies_.capacity->period);
}

void Replay::probe(History& history, const ReplayEvent& event) const {
    if (!history.gate) {
        return;
    }
    if (auto verdict = core::judge_probe(*policies_.probe, event.outcome)) {
        history.gate->apply(std::move(*verdict), event.at);
        advance(history.probes, steady(event.at), policies_.probe->period);
    }
}

void Replay::read(History& history, WallTime at) const {
    core::HomeReading& reading = history.reading;
    if (history.window) {
        history.window->expire(at);
        core::CapacityReading& capacity =
            reading.capacity ? *reading.capacity : reading.capacity.emplace();
        capacity.policy_digest = policies_.capacity->digest;
        core::show(*history.window, capacity);
        capacity.last_attempt_time = history.last_poll;
        capacity.next_attempt_time = due(history.polls);
    } else if (policies_.capacity) {
        reading.capacity.emplace().policy_digest = policies_.capacity->digest;
        reading.capacity->fallback_reason = "capacity target is invalid: " + history.target_error;
    } else {
        reading.capacity.reset();
    }
    if (!history.gate || !history.gate->known()) {
        reading.probe.reset();
        return;
    }
    core::ProbeReading& probe = reading.probe ? *reading.probe : reading.probe.emplace();
    probe.policy_digest = policies_.probe->digest;
    core::show(*history.gate, probe);
    probe.next_attempt_time = due(history.probes);
}

// What has not changed keeps its histories (contract/observer.md 14).
std::optional<core::Problem> Replay::change_policies(const std::string& text) {
    auto changed = wire::read_replay_policies(text);
    if (!changed) {
        core::Problem problem = std::move(changed.error());
        return core::Problem{"policy: " + problem.message, "policy." + problem.field};
    }
    const wire::ReplayPolicies before = std::exchange(policies_, std::move(*changed));
    for (auto& [key, history] : by_identity_) {
        if (!same(before.capacity, policies_.capacity)) {
            start_window(*history);
        }
        if (!same(before.probe, policies_.probe)) {
            start_gate(*history);
        }
    }
    return std::nullopt;
}

}  // namespace ome::observer
