#include "json_cursor.hpp"

#include <ome/core/text.hpp>
#include <ome/core/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <vector>

namespace ome::routing {
namespace {

constexpr std::size_t deepest = 10'000;
constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

core::Problem ends_before(std::string_view expected) {
    return {fmt::format("the text ends where {} should be", expected)};
}

bool is_container(JsonValue::Kind kind) {
    return kind == JsonValue::Kind::Object || kind == JsonValue::Kind::Array;
}

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, char32_t c) {
    const auto tail = [](char32_t bits) { return static_cast<char>(0x80U | (bits & 0x3fU)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += {static_cast<char>(0xc0U | (c >> 6U)), tail(c)};
    } else if (c < 0x10000) {
        out += {static_cast<char>(0xe0U | (c >> 12U)), tail(c >> 6U), tail(c)};
    } else {
        out += {static_cast<char>(0xf0U | (c >> 18U)), tail(c >> 12U), tail(c >> 6U), tail(c)};
    }
}

bool is_high_surrogate(char32_t c) {
    return c >= 0xd800 && c < 0xdc00;
}

bool is_low_surrogate(char32_t c) {
    return c >= 0xdc00 && c < 0xe000;
}

// The length of the number at the front; 0 for none. `complete` is false when it breaks off.
struct NumberSpan {
    std::size_t length = 0;
    bool complete = false;
};

std::size_t digits_from(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    return at;
}

NumberSpan number_span(std::string_view text) {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    const bool zero = at < text.size() && text[at] == '0';
    const std::size_t whole_end = zero ? at + 1 : digits_from(text, at);
    if (whole_end == at) {
        return {at, false};
    }
    at = whole_end;
    if (at < text.size() && text[at] == '.') {
        const std::size_t end = digits_from(text, at + 1);
        if (end == at + 1) {
            return {end, false};
        }
        at = end;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        const bool sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-');
        const std::size_t digits = at + (sign ? 2 : 1);
        const std::size_t end = digits_from(text, digits);
        return {end, end > digits};
    }
    return {at, true};
}

}  // namespace

char JsonCursor::peek() {
    const auto* const begin = std::find_if_not(rest_.begin(), rest_.end(), is_space);
    rest_.remove_prefix(static_cast<std::size_t>(begin - rest_.begin()));
    return rest_.empty() ? '\0' : rest_.front();
}

bool JsonCursor::at_end() {
    std::ignore = peek();
    return rest_.empty();
}

core::Problem JsonCursor::wrong(std::string_view place) const {
    if (rest_.empty()) {
        return {fmt::format("the text ends {}", place)};
    }
    const core::CodePoint next = core::first_code_point(rest_);
    return {fmt::format(
        "invalid character {} {}", core::go_quote(rest_.substr(0, next.length)), place)};
}

core::Result<void> JsonCursor::expect(char mark, std::string_view place) {
    if (at_end()) {
        return ends_before(fmt::format("{}", mark));
    }
    if (rest_.front() != mark) {
        return wrong(place);
    }
    rest_.remove_prefix(1);
    return {};
}

core::Result<JsonValue> JsonCursor::key() {
    if (at_end()) {
        return ends_before("a key in quotes");
    }
    return rest_.front() == '"' ? string()
                                : core::Result<JsonValue>(wrong("instead of a key in quotes"));
}

core::Result<JsonValue> JsonCursor::open() {
    if (at_end()) {
        return ends_before("a value");
    }
    const char first = rest_.front();
    if (first == '{' || first == '[') {
        rest_.remove_prefix(1);
        return JsonValue{first == '{' ? JsonValue::Kind::Object : JsonValue::Kind::Array};
    }
    if (first == '"') {
        return string();
    }
    return first == '-' || is_digit(first) ? number() : literal();
}

core::Result<JsonValue> JsonCursor::whole() {
    core::Result<JsonValue> value = open();
    if (value && is_container(value->kind)) {
        if (const core::Result<void> skipped = skip_inside(value->kind); !skipped) {
            return skipped.error();
        }
    }
    return value;
}

core::Result<void> JsonCursor::skip_inside(JsonValue::Kind opened) {
    std::vector<JsonValue::Kind> open_ones = {opened};
    bool just_opened = true;
    while (!open_ones.empty()) {
        const bool object = open_ones.back() == JsonValue::Kind::Object;
        if (peek() == (object ? '}' : ']')) {
            rest_.remove_prefix(1);
            open_ones.pop_back();
            just_opened = false;
            continue;
        }
        core::Result<JsonValue> value = member(object, just_opened);
        if (!value) {
            return value.error();
        }
        just_opened = is_container(value->kind);
        if (just_opened) {
            open_ones.push_back(value->kind);
        }
        if (open_ones.size() > deepest) {
            return core::Problem{"nested too deeply"};
        }
    }
    return {};
}

// A comma unless it is the first, a key in an object, and the value up to its opening bracket.
core::Result<JsonValue> JsonCursor::member(bool of_object, bool first) {
    if (const auto comma = first ? core::Result<void>() : expect(',', "behind a value"); !comma) {
        return comma.error();
    }
    if (of_object) {
        if (const core::Result<JsonValue> name = key(); !name) {
            return name.error();
        }
        if (const core::Result<void> colon = expect(':', "behind a key"); !colon) {
            return colon.error();
        }
    }
    return open();
}

core::Result<char32_t> JsonCursor::escaped_unit() {
    char32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
        std::uint32_t digit = 0;
        const auto* const begin = rest_.data();
        if (rest_.empty() || std::from_chars(begin, begin + 1, digit, 16).ptr != begin + 1) {
            return wrong("in a \\u escape");
        }
        unit = unit * 16 + digit;
        rest_.remove_prefix(1);
    }
    return unit;
}

// What follows a backslash. A surrogate without its other half becomes U+FFFD.
core::Result<void> JsonCursor::escape(std::string& out) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) {
        return wrong("behind a backslash");
    }
    if (const std::size_t at = names.find(rest_.front()); at != names.npos) {
        out += meanings[at];
        rest_.remove_prefix(1);
        return {};
    }
    if (rest_.front() != 'u') {
        return wrong("behind a backslash");
    }
    rest_.remove_prefix(1);
    core::Result<char32_t> unit = escaped_unit();
    if (!unit) {
        return unit.error();
    }
    if (is_high_surrogate(*unit) && rest_.starts_with("\\u")) {
        const std::string_view before = rest_;
        rest_.remove_prefix(2);
        const core::Result<char32_t> low = escaped_unit();
        if (!low) {
            return low.error();
        }
        if (is_low_surrogate(*low)) {
            append_utf8(out, 0x10000 + ((*unit - 0xd800) << 10U) + (*low - 0xdc00));
            return {};
        }
        rest_ = before;
    }
    if (is_high_surrogate(*unit) || is_low_surrogate(*unit)) {
        out += replacement;
    } else {
        append_utf8(out, *unit);
    }
    return {};
}

core::Result<JsonValue> JsonCursor::string() {
    rest_.remove_prefix(1);
    JsonValue value{JsonValue::Kind::String};
    std::string& out = value.text;
    while (!rest_.empty() && rest_.front() != '"') {
        if (static_cast<unsigned char>(rest_.front()) < 0x20) {
            return wrong("in a string");
        }
        if (rest_.front() == '\\') {
            rest_.remove_prefix(1);
            if (const core::Result<void> read = escape(out); !read) {
                return read.error();
            }
            continue;
        }
        const core::CodePoint next = core::first_code_point(rest_);
        out += next.valid ? rest_.substr(0, next.length) : replacement;
        rest_.remove_prefix(next.length);
    }
    if (rest_.empty()) {
        return wrong("in a string");
    }
    rest_.remove_prefix(1);
    return value;
}

core::Result<JsonValue> JsonCursor::number() {
    const NumberSpan span = number_span(rest_);
    const std::string_view text = rest_.substr(0, span.length);
    rest_.remove_prefix(span.length);
    if (!span.complete) {
        return wrong("in a number");
    }
    JsonValue value{JsonValue::Kind::Number, std::string(text)};
    if (std::isinf(std::strtod(value.text.c_str(), nullptr))) {
        return core::Problem{"a number is too large"};
    }
    return value;
}

core::Result<JsonValue> JsonCursor::literal() {
    struct Literal {
        std::string_view text;
        JsonValue::Kind kind;
    };
    constexpr std::array<Literal, 3> literals = {{{"true", JsonValue::Kind::True},
                                                  {"false", JsonValue::Kind::False},
                                                  {"null", JsonValue::Kind::Null}}};
    for (const Literal& literal : literals) {
        if (rest_.starts_with(literal.text)) {
            rest_.remove_prefix(literal.text.size());
            return JsonValue{literal.kind};
        }
        if (rest_.front() == literal.text.front()) {
            const auto* const odd =
                std::mismatch(rest_.begin(), rest_.end(), literal.text.begin(), literal.text.end())
                    .first;
            rest_.remove_prefix(static_cast<std::size_t>(odd - rest_.begin()));
            return wrong(fmt::format("in the literal {}", literal.text));
        }
    }
    return wrong("where a value should begin");
}

}  // namespace ome::routing
