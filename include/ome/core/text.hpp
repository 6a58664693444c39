// Text for people: quoting of foreign values, and cleaning of foreign error texts (design.md D8).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ome::core {

/// The text in double quotes as the contract's `%q` means it: `\"`, `\\`, the letter escapes of C,
/// `\x..` for other control bytes and for bytes that are not UTF-8, `\u....` and `\U........` for
/// characters that do not print. Above ASCII these count as not printing: controls, spaces other
/// than U+0020, format and bidirectional marks, private use, noncharacters, and the planes without
/// assigned characters. Unassigned code points inside a used block print as they are.
[[nodiscard]] std::string go_quote(std::string_view text);

/// What may follow a contractual prefix: valid UTF-8 of at most `max` bytes, cut between
/// characters. Terminal escape sequences vanish, a run of control characters becomes one space,
/// bytes that are not UTF-8 become U+FFFD, and there is no space at either end.
[[nodiscard]] std::string sanitize_detail(std::string_view text, std::size_t max = 1024);

/// Of valid UTF-8; combining marks count.
[[nodiscard]] std::size_t count_characters(std::string_view text);

/// `1 home`, `2 homes`.
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view more);

/// The text itself if it has at most `most` characters; otherwise its beginning with an ellipsis,
/// `most` characters together (at least the ellipsis).
[[nodiscard]] std::string shorten(std::string_view text, std::size_t most);

/// The same measured in bytes, of which the ellipsis takes three.
[[nodiscard]] std::string shorten_bytes(std::string_view text, std::size_t most);

}  // namespace ome::core
