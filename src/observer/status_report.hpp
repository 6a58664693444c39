// `/v1/status` and `/v1/services` as text for people. Pure; members that are missing or of another
// type are left out, since the observer that answers may be of another version.
#pragma once

#include <ome/core/time.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ome::observer {

struct ReportStyle {
    bool color = false;
    std::optional<std::size_t> columns;  ///< of a terminal; absent: nothing is cut for width
    core::WallTime now;                  ///< ages and waits are counted from here
};

/// Totals, advice, one line per home, and what to do about reasons that newcomers meet; every line
/// ends with a line break. Reasons take what `columns` leave them, though never less than 80
/// characters, and end with an ellipsis where that cuts them.
[[nodiscard]] std::string report_status(const boost::json::value& status,
                                        const boost::json::array& services,
                                        const ReportStyle& style);

/// What happened `at` (RFC 3339) long ago or will in a while: `4s`, `2m10s`, `3h5m`, `2d4h`; `now`
/// within a second; empty for no instant.
[[nodiscard]] std::string distance_text(std::string_view at, core::WallTime now);

}  // namespace ome::observer
