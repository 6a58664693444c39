// JSON values as text, appended to a buffer that the caller reuses, where a document would cost too
// much. The spelling is Boost.JSON's, but for what append_json_string() escapes.
#pragma once

#include <ome/core/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::wire {

/// In quotes; `text` is UTF-8. What a terminal would obey, or would turn the text around, is
/// escaped: foreign text may be printed as it comes out of here, and a reader decodes the same
/// text.
void append_json_string(std::string& out, std::string_view text);
/// `\u0085`; of what UTF-16 has as one unit.
void append_unicode_escape(std::string& out, char32_t value);

/// Bytes of the character at `at` if it is one of those: delete, a C1 control, a line or paragraph
/// separator, a mark of direction. 0: it is none. (A control below U+0020 is escaped in any JSON.)
[[nodiscard]] std::size_t obeyed_length(std::string_view text, std::size_t at);
void append_json_integer(std::string& out, std::int64_t value);

/// core::format_timestamp() in quotes; years 0 to 9999.
void append_json_time(std::string& out, core::WallTime at);

}  // namespace ome::wire
