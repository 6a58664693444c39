// Where the userinfo of a URL stands, also of one that does not parse (design.md D4).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ome::core {

struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] bool empty() const { return begin == end; }
};

/// The part of a text that begins with a URL which may hold a user and a password; empty when there
/// is none. Exact for a usable URL. Of any other text it is everything from where an authority
/// begins to the last `@`, because nobody can tell where a broken password ends.
[[nodiscard]] Span userinfo_span(std::string_view url);

/// The URL with that part replaced by `***`.
[[nodiscard]] std::string mask_span(std::string_view url, Span span);

}  // namespace ome::core
