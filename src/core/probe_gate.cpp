#include <ome/core/probe_gate.hpp>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace ome::core {
namespace {

std::int32_t one_more(std::int32_t count) {
    return count < std::numeric_limits<std::int32_t>::max() ? count + 1 : count;
}

}  // namespace

GateRules gate_rules(const ProbePolicy& policy) {
    return {policy.failure_threshold, policy.success_threshold};
}

bool restorable(const RestoredProbe& saved, const ProbePolicy& policy) {
    return saved.policy_digest == policy.digest;
}

ProbeGate::ProbeGate(GateRules rules, const RestoredProbe& saved)
    : rules_(rules),
      failures_(std::max(0, saved.consecutive_failures)),
      known_(true),
      gated_(saved.gated),
      conclusive_(saved.gated || failures_ > 0 || saved.result != ProbeResult::Unknown),
      result_(saved.result),
      message_(saved.message),
      last_probe_time_(saved.last_probe_time) {}

bool ProbeGate::apply(ProbeVerdict verdict, WallTime finished_at) {
    const auto shown = [this] {
        return std::tuple(known_, gated_, conclusive_, failures_, result_);
    };
    const auto before = shown();
    const bool new_message = verdict.message != message_;

    known_ = true;
    result_ = verdict.result;
    message_ = std::move(verdict.message);
    last_probe_time_ = finished_at;
    if (result_ == ProbeResult::Failing) {
        count_failure();
    } else if (result_ == ProbeResult::Passing) {
        count_pass();
    }  // Unknown proves nothing and moves no counter: "in a row" looks through it.
    return new_message || shown() != before;
}

std::optional<bool> ProbeGate::reachable() const {
    return conclusive_ ? std::optional(!gated_) : std::nullopt;
}

// A failure during recovery starts the count at 1 again, but nothing except passes lifts the gate.
void ProbeGate::count_failure() {
    conclusive_ = true;
    passes_ = 0;
    failures_ = one_more(failures_);
    gated_ = gated_ || failures_ >= rules_.failure_threshold;
}

// Passes count only while gated: they are not banked for the next outage.
void ProbeGate::count_pass() {
    conclusive_ = true;
    failures_ = 0;
    passes_ = gated_ ? one_more(passes_) : 0;
    if (gated_ && passes_ >= rules_.success_threshold) {
        gated_ = false;
        passes_ = 0;
    }
}

void show(const ProbeGate& gate, ProbeReading& reading) {
    reading.result = gate.result();
    reading.message = gate.message();
    reading.gated = gate.gated();
    reading.conclusive = gate.conclusive();
    reading.consecutive_failures = gate.failures();
    reading.consecutive_passes = gate.passes();
    reading.last_probe_time = gate.last_probe_time();
}

}  // namespace ome::core
