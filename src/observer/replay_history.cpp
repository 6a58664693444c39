#include "replay_history.hpp"

#include <utility>

namespace ome::observer {

using core::WallTime;
using wire::ReplayAction;
using wire::ReplayEvent;
using wire::ReplayPolicies;

ReplayHistory::ReplayHistory(std::string cluster, std::string target_error)
    : target_error_(std::move(target_error)) {
    reading_.cluster = std::move(cluster);
}

void ReplayHistory::begin_polls(const ReplayPolicies& policies) {
    window_.reset();
    polls_.reset();
    last_poll_.reset();
    if (policies.capacity && target_error_.empty()) {
        window_.emplace(core::window_rules(*policies.capacity));
    }
}

void ReplayHistory::begin_probes(const ReplayPolicies& policies,
                                 const std::optional<core::RestoredProbe>& saved) {
    gate_.reset();
    probes_.reset();
    if (!policies.probe || !target_error_.empty()) {
        return;
    }
    if (saved && core::restorable(*saved, *policies.probe)) {
        gate_.emplace(core::gate_rules(*policies.probe), *saved);
    } else {
        gate_.emplace(core::gate_rules(*policies.probe));
    }
}

void ReplayHistory::take(const ReplayPolicies& policies, const ReplayEvent& event) {
    origin_ = origin_.value_or(event.at);
    if (event.action == ReplayAction::Poll && window_) {
        poll(*policies.capacity, event);
    } else if (event.action == ReplayAction::Probe && gate_) {
        probe(*policies.probe, event);
    }
}

void ReplayHistory::poll(const core::CapacityPolicy& policy, const ReplayEvent& event) {
    const auto verdict = core::judge_poll(policy, event.outcome, event.at);
    if (!verdict) {
        return;
    }
    if (const auto* report = std::get_if<core::CapacityReport>(&*verdict)) {
        window_->accept(*report, event.at);
    } else {
        window_->fail(std::get<std::string>(*verdict));
    }
    last_poll_ = event.at;
    advance(polls_, event.at, policy.period);
}

void ReplayHistory::probe(const core::ProbePolicy& policy, const ReplayEvent& event) {
    if (auto verdict = core::judge_probe(policy, event.outcome)) {
        gate_->apply(std::move(*verdict), event.at);
        advance(probes_, event.at, policy.period);
    }
}

// Virtual time has one clock, and its steady side spans fewer years than stamps do. Attempts are
// given and not planned, so the first one is the first deadline and nothing is spread.
void ReplayHistory::advance(std::optional<core::Schedule>& schedule,
                            WallTime at,
                            core::Duration period) {
    const core::SteadyTime now(at - *origin_);
    if (!schedule) {
        schedule = core::Schedule::steady(now, period);
    }
    schedule->advance(now);
}

std::optional<WallTime> ReplayHistory::due(const std::optional<core::Schedule>& schedule) const {
    if (!schedule) {
        return std::nullopt;
    }
    return *origin_ + schedule->due().time_since_epoch();
}

core::HomeReading& ReplayHistory::read(const ReplayPolicies& policies, WallTime at) {
    if (policies.capacity) {
        read_capacity(*policies.capacity, at);
    } else {
        reading_.capacity.reset();
    }
    if (policies.probe && gate_ && gate_->known()) {
        read_probe(*policies.probe);
    } else {
        reading_.probe.reset();
    }
    return reading_;
}

void ReplayHistory::read_capacity(const core::CapacityPolicy& policy, WallTime at) {
    if (!window_) {
        reading_.capacity.emplace().policy_digest = policy.digest;
        reading_.capacity->fallback_reason = "capacity target is invalid: " + target_error_;
        return;
    }
    window_->expire(at);
    core::CapacityReading& capacity =
        reading_.capacity ? *reading_.capacity : reading_.capacity.emplace();
    capacity.policy_digest = policy.digest;
    core::show(*window_, capacity);
    capacity.last_attempt_time = last_poll_;
    capacity.next_attempt_time = due(polls_);
}

void ReplayHistory::read_probe(const core::ProbePolicy& policy) {
    core::ProbeReading& probe = reading_.probe ? *reading_.probe : reading_.probe.emplace();
    probe.policy_digest = policy.digest;
    core::show(*gate_, probe);
    probe.next_attempt_time = due(probes_);
}

}  // namespace ome::observer
