#include <ome/core/utf8.hpp>

#include <algorithm>
#include <cstdint>

namespace ome::core {
namespace {

struct Lead {
    std::size_t length = 0;  // 0: begins nothing
    char32_t bits = 0;
    char32_t least = 0;  // smaller values would be overlong
};

Lead lead_of(std::uint8_t byte) {
    if (byte < 0x80) {
        return {1, byte, 0};
    }
    if (byte >= 0xc0 && byte < 0xe0) {
        return {2, byte & 0x1fU, 0x80};
    }
    if (byte >= 0xe0 && byte < 0xf0) {
        return {3, byte & 0x0fU, 0x800};
    }
    return byte >= 0xf0 && byte < 0xf8 ? Lead{4, byte & 0x07U, 0x10000} : Lead{};
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
    const auto first = static_cast<std::uint8_t>(text.front());
    const Lead lead = lead_of(first);
    const CodePoint invalid{first, 1, false};
    if (lead.length == 0 || lead.length > text.size()) {
        return invalid;
    }
    char32_t value = lead.bits;
    for (const char c : text.substr(1, lead.length - 1)) {
        const auto byte = static_cast<std::uint8_t>(c);
        if ((byte & 0xc0U) != 0x80) {
            return invalid;
        }
        value = (value << 6) | (byte & 0x3fU);
    }
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < lead.least || value > 0x10ffff || surrogate) {
        return invalid;
    }
    return {value, lead.length, true};
}

bool is_white_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0d) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

bool is_blank(std::string_view text) {
    return trimmed(text).empty();
}

std::string_view trimmed(std::string_view text) {
    std::size_t begin = text.size();  // of what is left
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint next = first_code_point(text.substr(at));
        if (!next.valid || !is_white_space(next.value)) {
            begin = std::min(begin, at);
            end = at + next.length;
        }
        at += next.length;
    }
    return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

}  // namespace ome::core
