// One attempt: what an exchange gave (I/O fills it in) and what that means (decided here).
// Order of checks and texts: contract/observer.md 6 and 9.1.
#pragma once

#include <ome/core/policy.hpp>
#include <ome/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace ome::core {

enum class Kind : std::uint8_t { Poll, Probe };
[[nodiscard]] std::string_view to_string(Kind kind);  ///< `poll`, `probe`

/// What kept an attempt from being a complete answer.
enum class Fault : std::uint8_t {
    None,         ///< head and body arrived as far as they are wanted
    InvalidUrl,   ///< nothing was sent: the policy's path does not join to the endpoint
    Refused,      ///< nothing was sent: every address is refused by policy
    Unreachable,  ///< no response head: lookup, connect, TLS, reset, malformed response, deadline
    Body,         ///< the head arrived, the body did not (or, for a poll, exceeded the cap)
    Deadline,     ///< everything arrived, but the deadline had passed by then
    Cancelled,    ///< our owner ended it: never a result (promise 3)
    Stalled,      ///< this process stood still: never a result, within bounds (D22)
};
/// `answered`, `invalid-url`, `refused`, `unreachable`, `body`, `deadline`, `cancelled`, `stalled`.
[[nodiscard]] std::string_view to_string(Fault fault);

/// The text of every attempt that the policy's `timeout` ended (design.md D8).
inline constexpr std::string_view deadline_text = "context deadline exceeded";

/// The text of an attempt whose every address the address policy refuses.
inline constexpr std::string_view refused_address_text = "address refused by policy";

/// A report as a home sent it (contract/observer.md 7).
struct CapacityReport {
    std::int32_t servable = 0;
    WallTime observed_at;

    friend bool operator==(const CapacityReport&, const CapacityReport&) = default;
};

/// Milliseconds are for people; these are exact. A phase that did not happen is zero.
struct Phases {
    Duration dns{};
    Duration connect{};
    Duration tls{};
    Duration first_byte{};  ///< from request written to the first byte of the final head
    Duration total{};       ///< from the permit to the end
};

/// What an exchange gave. `text` follows a contractual prefix, is at most 1,024 bytes, has no
/// control characters, no secrets and no ephemeral ports (D8).
struct AttemptOutcome {
    Fault fault = Fault::None;
    std::string text = {};
    std::optional<std::int32_t> status = {};  ///< absent when no response head arrived

    /// Polls with status 200 and a complete body: the decoded report, or the whole reason why it is
    /// none. Otherwise monostate.
    std::variant<std::monostate, CapacityReport, std::string> report = {};

    Phases phases = {};

    /// What the answer told besides; for readings and metrics, and no part of any verdict.
    std::optional<WallTime> certificate_expiry = {};  ///< of the peer's own certificate
    std::optional<std::int32_t> clock_skew = {};      ///< see clock_skew_seconds()
};

/// The fault as people are told it: Deadline also where the time-out came before the head or inside
/// of the body, which the texts of contract/observer.md 6 count as Unreachable and Body.
[[nodiscard]] Fault told_fault(const AttemptOutcome& outcome);

/// How far the peer's clock is provably off, in whole seconds; positive: ahead. `date` counts whole
/// seconds, so a clock that is less than a second off shows as 0. `at`: when the answer came.
[[nodiscard]] std::int32_t clock_skew_seconds(WallTime date, WallTime at);

/// Whether a certificate needs renewal now: it ends within seven days, or has ended.
[[nodiscard]] bool expires_soon(WallTime expiry, WallTime now);

enum class ProbeResult : std::uint8_t { Unknown, Passing, Failing };
[[nodiscard]] std::string_view to_string(ProbeResult result);

struct ProbeVerdict {
    ProbeResult result = ProbeResult::Unknown;
    std::string message;
};

/// Absent for Cancelled and Stalled: no result.
[[nodiscard]] std::optional<ProbeVerdict> judge_probe(const ProbePolicy& policy,
                                                      const AttemptOutcome& outcome);

/// An accepted reading, or the reason of a failed poll.
using PollVerdict = std::variant<CapacityReport, std::string>;

/// Absent for Cancelled and Stalled: no result. `now` judges the age of the report.
[[nodiscard]] std::optional<PollVerdict> judge_poll(const CapacityPolicy& policy,
                                                    const AttemptOutcome& outcome,
                                                    WallTime now);

}  // namespace ome::core
