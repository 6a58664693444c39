// The part of `replay` that its test looks at.
#pragma once

#include "replay.hpp"

#include <cstdint>
#include <iosfwd>

namespace ome::observer {

/// Reads events to the end. What is wrong with a line goes to `errors` with its number, and the
/// line is left out. Returns how many lines were.
[[nodiscard]] std::size_t replay_events(Replay replay,
                                        std::int64_t max_response_bytes,
                                        std::istream& events,
                                        std::ostream& output,
                                        std::ostream& errors);

}  // namespace ome::observer
