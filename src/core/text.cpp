#include <ome/core/text.hpp>
#include <ome/core/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace ome::core {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// What does not print, above ASCII: see the header.
constexpr std::array not_printing{
    Range{0x80, 0xa0},       Range{0xad, 0xad},       Range{0x600, 0x605},
    Range{0x61c, 0x61c},     Range{0x6dd, 0x6dd},     Range{0x70f, 0x70f},
    Range{0x890, 0x891},     Range{0x8e2, 0x8e2},     Range{0x1680, 0x1680},
    Range{0x180e, 0x180e},   Range{0x2000, 0x200f},   Range{0x2028, 0x202f},
    Range{0x205f, 0x206f},   Range{0x3000, 0x3000},   Range{0xe000, 0xf8ff},
    Range{0xfdd0, 0xfdef},   Range{0xfeff, 0xfeff},   Range{0xfff0, 0xfffb},
    Range{0x110bd, 0x110bd}, Range{0x110cd, 0x110cd}, Range{0x1bca0, 0x1bca3},
    Range{0x1d173, 0x1d17a}, Range{0x40000, 0xe00ff}, Range{0xe01f0, 0x10ffff},
};

// Line, paragraph and direction marks: they move what a reader of a log sees.
constexpr std::array moving_marks{
    Range{0x61c, 0x61c}, Range{0x200e, 0x200f}, Range{0x2028, 0x202e}, Range{0x2066, 0x2069}};

template <std::size_t N>
bool in_any(const std::array<Range, N>& ranges, char32_t value) {
    return std::any_of(ranges.begin(), ranges.end(), [value](const Range& range) {
        return value >= range.first && value <= range.last;
    });
}

bool prints(char32_t value) {
    if (value < 0x80) {
        return value >= 0x20 && value != 0x7f;
    }
    const bool noncharacter = (value & 0xfffe) == 0xfffe;
    return !noncharacter && !in_any(not_printing, value);
}

// The letter of a C escape, or 0.
char escape_letter(char32_t value) {
    constexpr std::string_view escaped = "\a\b\t\n\v\f\r\"\\";
    constexpr std::string_view letters = "abtnvfr\"\\";
    const std::size_t at =
        value < 0x80 ? escaped.find(static_cast<char>(value)) : std::string_view::npos;
    return at == std::string_view::npos ? '\0' : letters[at];
}

void append_escape(std::string& out, const CodePoint& point) {
    const auto value = static_cast<std::uint32_t>(point.value);
    auto end = std::back_inserter(out);
    if (!point.valid || value < 0x80) {
        fmt::format_to(end, "\\x{:02x}", value);
    } else if (value < 0x10000) {
        fmt::format_to(end, "\\u{:04x}", value);
    } else {
        fmt::format_to(end, "\\U{:08x}", value);
    }
}

void append_quoted(std::string& out, const CodePoint& point, std::string_view bytes) {
    const char letter = point.valid ? escape_letter(point.value) : '\0';
    if (letter != '\0') {
        out += '\\';
        out += letter;
    } else if (point.valid && prints(point.value)) {
        out += bytes;
    } else {
        append_escape(out, point);
    }
}

// Bytes of the terminal escape sequence at the front, 0 when there is none: ESC [ parameters final,
// or ESC and one more byte.
std::size_t terminal_sequence(std::string_view text) {
    if (text.front() != '\x1b') {
        return 0;
    }
    if (text.size() < 2 || text[1] != '[') {
        return std::min<std::size_t>(text.size(), 2);
    }
    std::size_t at = 2;
    while (at < text.size() && text[at] >= 0x20 && text[at] < 0x40) {
        ++at;
    }
    return at < text.size() && text[at] >= 0x40 && text[at] < 0x7f ? at + 1 : at;
}

bool is_control(char32_t value) {
    return value < 0x20 || (value >= 0x7f && value < 0xa0) || in_any(moving_marks, value);
}

constexpr std::string_view ellipsis = "\u2026";

bool begins_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
}

// Collects printable text up to a size, with single spaces where something was taken out.
class Cleaner {
public:
    explicit Cleaner(std::size_t max) : max_(max) {}

    void gap() { gap_ = true; }

    // False when there is no room left.
    bool add(std::string_view character) {
        const bool space = gap_ && !out_.empty() && out_.back() != ' ' && character != " ";
        if (out_.size() + character.size() + (space ? 1 : 0) > max_) {
            return false;
        }
        out_ += space ? " " : "";
        out_ += out_.empty() && character == " " ? std::string_view() : character;
        gap_ = false;
        return true;
    }

    std::string take() && {
        while (out_.ends_with(' ')) {
            out_.pop_back();
        }
        return std::move(out_);
    }

private:
    std::size_t max_;
    std::string out_;
    bool gap_ = false;
};

}  // namespace

std::string go_quote(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        append_quoted(out, point, text.substr(0, point.length));
        text.remove_prefix(point.length);
    }
    return out + '"';
}

std::string sanitize_detail(std::string_view text, std::size_t max) {
    Cleaner cleaner(max);
    while (!text.empty()) {
        if (const std::size_t skip = terminal_sequence(text); skip > 0) {
            text.remove_prefix(skip);
            continue;
        }
        const CodePoint point = first_code_point(text);
        const bool control = point.valid && is_control(point.value);
        if (control) {
            cleaner.gap();
        } else if (!cleaner.add(point.valid ? text.substr(0, point.length) : "\ufffd")) {
            break;
        }
        text.remove_prefix(point.length);
    }
    return std::move(cleaner).take();
}

std::size_t count_characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string counted(std::size_t count, std::string_view one, std::string_view more) {
    return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string shorten(std::string_view text, std::size_t most) {
    if (count_characters(text) <= most) {
        return std::string(text);
    }
    std::size_t kept = 0;  // bytes
    for (std::size_t characters = 0; kept < text.size(); ++kept) {
        if (begins_character(text[kept]) && ++characters >= std::max<std::size_t>(most, 1)) {
            break;
        }
    }
    return std::string(text.substr(0, kept)).append(ellipsis);
}

std::string shorten_bytes(std::string_view text, std::size_t most) {
    if (text.size() <= most) {
        return std::string(text);
    }
    std::size_t kept = most - std::min(most, ellipsis.size());
    while (kept > 0 && !begins_character(text[kept])) {
        --kept;
    }
    return std::string(text.substr(0, kept)).append(ellipsis);
}

}  // namespace ome::core
