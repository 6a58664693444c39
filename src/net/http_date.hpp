// The one date format that HTTP senders may produce (RFC 9110 section 5.6.7).
#pragma once

#include <ome/core/time.hpp>

#include <optional>
#include <string_view>

namespace ome::net {

/// `Sun, 06 Nov 1994 08:49:37 GMT`; absent for anything else. The name of the day is not checked.
[[nodiscard]] std::optional<core::WallTime> parse_http_date(std::string_view text);

}  // namespace ome::net
