// What a JSON text may go on with where a parser gave up.
#pragma once

#include <string>
#include <string_view>

namespace ome::wire {

/// In words, such as `` `,` or `}` ``; empty where nothing better can be said than that the place
/// is wrong (inside a text, a number or a word). What stands before `at` must be the beginning of a
/// JSON text.
[[nodiscard]] std::string expected_in_json(std::string_view text, std::size_t at);

}  // namespace ome::wire
