// JSON values as text, appended to a buffer that the caller reuses. The spelling is Boost.JSON's.
#pragma once

#include <ome/core/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::wire {

/// In quotes; `text` is UTF-8.
void append_json_string(std::string& out, std::string_view text);
void append_json_integer(std::string& out, std::int64_t value);

/// RFC 3339 in quotes.
void append_json_time(std::string& out, core::WallTime at);

}  // namespace ome::wire
