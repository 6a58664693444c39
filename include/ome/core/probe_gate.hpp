// The gate of one probe history (contract/observer.md 9.2 and 9.3).
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/declaration.hpp>
#include <ome/core/reading.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace ome::core {

/// The part of a ProbePolicy that the gate obeys.
struct GateRules {
    std::int32_t failure_threshold = 1;
    std::int32_t success_threshold = 1;
};

[[nodiscard]] GateRules gate_rules(const ProbePolicy& policy);

/// Whether a stored record may start a history under this policy.
[[nodiscard]] bool restorable(const RestoredProbe& saved, const ProbePolicy& policy);

class ProbeGate {
public:
    explicit ProbeGate(GateRules rules) : rules_(rules) {}

    /// Starts where a stored record ended; passes are not stored and begin at 0.
    ProbeGate(GateRules rules, const RestoredProbe& saved);

    /// Returns whether anything but the time and the count of passes changed.
    bool apply(ProbeVerdict verdict, WallTime finished_at);

    /// False until an attempt finished or a record was restored: nothing to show.
    [[nodiscard]] bool known() const { return known_; }
    [[nodiscard]] bool gated() const { return gated_; }
    [[nodiscard]] bool conclusive() const { return conclusive_; }
    [[nodiscard]] std::int32_t failures() const { return failures_; }
    [[nodiscard]] std::int32_t passes() const { return passes_; }
    [[nodiscard]] ProbeResult result() const { return result_; }
    [[nodiscard]] const std::string& message() const { return message_; }
    [[nodiscard]] std::optional<WallTime> last_probe_time() const { return last_probe_time_; }

    /// Absent: no evidence either way, which never gates.
    [[nodiscard]] std::optional<bool> reachable() const;

private:
    void count_failure();
    void count_pass();

    GateRules rules_;
    std::int32_t failures_ = 0;
    std::int32_t passes_ = 0;
    bool known_ = false;
    bool gated_ = false;
    bool conclusive_ = false;
    ProbeResult result_ = ProbeResult::Unknown;
    std::string message_;
    std::optional<WallTime> last_probe_time_;
};

/// Fills in everything but digest and next attempt.
void show(const ProbeGate& gate, ProbeReading& reading);

}  // namespace ome::core
