// What a recording tells, as lines of it, which are events of `replay` (wire/replay_document.hpp):
// attempts, and what else changes what is known.
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/declaration.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ome::observer {

/// Bodies up to this size are recorded as they came.
inline constexpr std::size_t longest_recorded_body = 1024;

struct RecordedAttempt {
    core::WallTime at;  ///< when it finished: the time it was judged with
    core::Kind kind = core::Kind::Poll;
    core::ServiceKey service;
    std::string cluster;
    std::string endpoint;  ///< canonical, secrets included
    core::AttemptOutcome outcome;
    std::string body;           ///< of a poll; empty when it was longer than is recorded
    std::size_t body_size = 0;  ///< as it came
};

/// A declaration that changed something.
struct RecordedDeclaration {
    core::WallTime at;
    core::ServiceDeclaration declaration;  ///< secrets included
    std::vector<std::string> moved;        ///< clusters that stay, with another endpoint
};

struct RecordedForgetting {
    core::WallTime at;
    std::optional<core::ServiceKey> service;  ///< absent: everything; the observer began
};

using Recorded = std::variant<RecordedAttempt, RecordedDeclaration, RecordedForgetting>;

/// With its line end. What it replays to is the same whether the body is in it or was redacted:
/// then there is a report with the same values, or the reason why there was none.
[[nodiscard]] std::string record_line(const RecordedAttempt& attempt);

/// Without secrets, but with the digests of the policies as they were with them.
[[nodiscard]] std::string record_line(const RecordedDeclaration& declared);
[[nodiscard]] std::string record_line(const RecordedForgetting& forgotten);

}  // namespace ome::observer
