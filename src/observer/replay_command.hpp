// The part of `replay` that its test looks at.
#pragma once

#include "replay.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace ome::observer {

struct ReplayOptions {
    std::int64_t max_response_bytes = 65536;
    bool table = false;  ///< for people; otherwise NDJSON
    std::string name;  ///< of the recording; one without any event is told with it, if it is given
};

/// Takes whole lines to print. False: nobody takes more, and the replay ends.
using TakeLines = std::function<bool(std::string_view lines)>;

/// Reads events to the end. What is wrong with a line goes to `errors` with its number, and the
/// line is left out. Returns how many lines were.
[[nodiscard]] std::size_t replay_events(Replay replay,
                                        const ReplayOptions& options,
                                        std::istream& events,
                                        const TakeLines& take,
                                        std::ostream& errors);

}  // namespace ome::observer
