// The lines of a recording, one after another, whatever is done with them.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/wire/replay_document.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace ome::observer {

struct EventSource {
    std::int64_t max_response_bytes = 65536;
    std::string name;  ///< of the recording; one without any event is told with it, if it is given
};

/// A problem: nothing came of the event, and its line is left out.
using ApplyEvent = std::function<std::optional<core::Problem>(const wire::ReplayEvent&)>;

/// After each line that is not blank; `would_wait`: the next one may not have come yet. False: no
/// more are wanted.
using AfterLine = std::function<bool(bool would_wait)>;

/// Reads to the end. What is wrong with a line goes to `errors` with its number, and the line is
/// left out. Returns how many lines were.
[[nodiscard]] std::size_t read_events(const EventSource& source,
                                      std::istream& events,
                                      const ApplyEvent& apply,
                                      const AfterLine& after,
                                      std::ostream& errors);

}  // namespace ome::observer
