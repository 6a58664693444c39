// One attempt as a line of a recording, which is an event of `replay` (wire/replay_document.hpp).
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/declaration.hpp>

#include <cstddef>
#include <string>

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

/// With its line end. What it replays to is the same whether the body is in it or was redacted:
/// then there is a report with the same values, or the reason why there was none.
[[nodiscard]] std::string record_line(const RecordedAttempt& attempt);

}  // namespace ome::observer
