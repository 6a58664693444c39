// JSON values as text, appended to a buffer that the caller reuses, for output where building a
// document costs too much. The spelling is Boost.JSON's.
#pragma once

#include <ome/core/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::wire {

/// In quotes; `text` is UTF-8.
void append_json_string(std::string& out, std::string_view text);
void append_json_integer(std::string& out, std::int64_t value);

/// core::format_timestamp() in quotes; years 0 to 9999.
void append_json_time(std::string& out, core::WallTime at);

}  // namespace ome::wire
