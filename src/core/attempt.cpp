#include <ome/core/attempt.hpp>
#include <ome/core/duration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ome::core {
namespace {

bool contains(const std::vector<std::int32_t>& statuses, std::int32_t status) {
    return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

bool no_result(Fault fault) {
    return fault == Fault::Cancelled || fault == Fault::Stalled;
}

ProbeVerdict judge_status(const ProbePolicy& policy, std::int32_t status) {
    if (contains(policy.accept_statuses, status)) {
        return {ProbeResult::Passing, fmt::format("HTTP {}", status)};
    }
    if (contains(policy.gate_statuses, status)) {
        return {ProbeResult::Failing, fmt::format("HTTP {}", status)};
    }
    return {ProbeResult::Unknown, fmt::format("HTTP {} (not in accept or gate list)", status)};
}

PollVerdict judge_report(const CapacityPolicy& policy, const CapacityReport& report, WallTime now) {
    if (report.servable < 0) {
        return fmt::format("capacity report is negative ({})", report.servable);
    }
    if (report.observed_at > now) {
        return "capacity report timestamp is in the future";
    }
    if (now - report.observed_at >= policy.max_age) {
        return fmt::format("capacity report is stale (at least configured maximum age {})",
                           format_duration(policy.max_age));
    }
    return report;
}

// A head has arrived. Its status counts before anything that happened to the body, since the body
// of another status is not read.
PollVerdict judge_answer(const CapacityPolicy& policy,
                         const AttemptOutcome& outcome,
                         WallTime now) {
    if (outcome.status != 200) {
        return fmt::format("capacity endpoint returned HTTP {}", outcome.status.value_or(0));
    }
    if (outcome.fault == Fault::Body) {
        return "reading capacity response: " + outcome.text;
    }
    if (outcome.fault == Fault::Deadline) {
        return fmt::format("capacity request did not complete: {}", deadline_text);
    }
    if (const auto* report = std::get_if<CapacityReport>(&outcome.report)) {
        return judge_report(policy, *report, now);
    }
    const auto* reason = std::get_if<std::string>(&outcome.report);
    return reason != nullptr ? *reason : std::string();
}

}  // namespace

std::string_view to_string(Kind kind) {
    return kind == Kind::Poll ? "poll" : "probe";
}

std::string_view to_string(ProbeResult result) {
    switch (result) {
        case ProbeResult::Passing:
            return "Passing";
        case ProbeResult::Failing:
            return "Failing";
        case ProbeResult::Unknown:
            break;
    }
    return "Unknown";
}

std::string_view to_string(Fault fault) {
    switch (fault) {
        case Fault::None:
            return "answered";
        case Fault::InvalidUrl:
            return "invalid-url";
        case Fault::Refused:
            return "refused";
        case Fault::Unreachable:
            return "unreachable";
        case Fault::Body:
            return "body";
        case Fault::Deadline:
            return "deadline";
        case Fault::Cancelled:
            return "cancelled";
        case Fault::Stalled:
            break;
    }
    return "stalled";
}

Fault told_fault(const AttemptOutcome& outcome) {
    const bool cut_short = outcome.fault == Fault::Unreachable || outcome.fault == Fault::Body;
    return cut_short && outcome.text == deadline_text ? Fault::Deadline : outcome.fault;
}

std::int32_t clock_skew_seconds(WallTime date, WallTime at) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t ahead = date.seconds - at.seconds - (at.nanoseconds > 0 ? 1 : 0);
    const std::int64_t behind = at.seconds - date.seconds - 1;
    const std::int64_t skew = ahead > 0 ? ahead : behind > 0 ? -behind : 0;
    return static_cast<std::int32_t>(std::clamp(skew, -most, most));
}

bool expires_soon(WallTime expiry, WallTime now) {
    constexpr std::int64_t notice = std::int64_t{7} * 24 * 3600;
    return expiry.seconds <= now.seconds + notice;
}

std::optional<ProbeVerdict> judge_probe(const ProbePolicy& policy, const AttemptOutcome& outcome) {
    switch (outcome.fault) {
        case Fault::Cancelled:
        case Fault::Stalled:
            return std::nullopt;
        case Fault::InvalidUrl:
        case Fault::Refused:
            return ProbeVerdict{ProbeResult::Unknown, "probe could not run: " + outcome.text};
        case Fault::Unreachable:
            return ProbeVerdict{ProbeResult::Failing, "transport error: " + outcome.text};
        case Fault::Body:
            return ProbeVerdict{ProbeResult::Failing, "response body error: " + outcome.text};
        case Fault::Deadline:
            return ProbeVerdict{ProbeResult::Failing,
                                fmt::format("transport error: {}", deadline_text)};
        case Fault::None:
            break;
    }
    return judge_status(policy, outcome.status.value_or(0));
}

std::optional<PollVerdict> judge_poll(const CapacityPolicy& policy,
                                      const AttemptOutcome& outcome,
                                      WallTime now) {
    if (no_result(outcome.fault)) {
        return std::nullopt;
    }
    if (outcome.fault == Fault::InvalidUrl) {
        return "capacity request URL is invalid: join endpoint and capacity path: " + outcome.text;
    }
    if (outcome.fault == Fault::Refused || outcome.fault == Fault::Unreachable) {
        return "capacity endpoint unreachable: " + outcome.text;
    }
    return judge_answer(policy, outcome, now);
}

}  // namespace ome::core
