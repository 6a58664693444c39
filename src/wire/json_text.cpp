#include <ome/core/utf8.hpp>
#include <ome/wire/json_text.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace ome::wire {
namespace {

// By one of them every character begins that is not written as it is; others may, too.
bool may_need_escape(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return byte == '"' || byte == '\\' || value < 0x20 || value == 0x7f || value == 0xc2 ||
           value == 0xd8 || value == 0xe2;
}

void append_escape(std::string& out, char byte) {
    switch (byte) {
        case '"':
            out += R"(\")";
            return;
        case '\\':
            out += R"(\\)";
            return;
        case '\b':
            out += R"(\b)";
            return;
        case '\f':
            out += R"(\f)";
            return;
        case '\n':
            out += R"(\n)";
            return;
        case '\r':
            out += R"(\r)";
            return;
        case '\t':
            out += R"(\t)";
            return;
        default:
            break;
    }
    append_unicode_escape(out, static_cast<unsigned char>(byte));
}

bool is_ascii(char byte) {
    return static_cast<unsigned char>(byte) < 0x7f;
}

/// The last `width` digits of a number, and what stands before them.
void append_digits(std::string& out, char before, std::int64_t value, std::size_t width) {
    char digits[10];
    for (std::size_t at = width; at > 0; --at, value /= 10) {
        digits[at] = static_cast<char>('0' + value % 10);
    }
    digits[0] = before;
    out.append(digits, width + 1);
}

void append_fraction(std::string& out, std::int32_t nanoseconds) {
    if (nanoseconds % 1'000'000 == 0) {
        append_digits(out, '.', nanoseconds / 1'000'000, 3);
    } else if (nanoseconds % 1'000 == 0) {
        append_digits(out, '.', nanoseconds / 1'000, 6);
    } else {
        append_digits(out, '.', nanoseconds, 9);
    }
}

}  // namespace

std::size_t obeyed_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto within = [](unsigned value, unsigned first, unsigned last) {
        return value >= first && value <= last;
    };
    switch (byte(0)) {
        case 0x7f:
            return 1;
        case 0xc2:  // U+0080 to U+009F
            return within(byte(1), 0x80, 0x9f) ? 2 : 0;
        case 0xd8:  // U+061C
            return byte(1) == 0x9c ? 2 : 0;
        case 0xe2:  // U+200E, U+200F, U+2028 to U+202E; U+2066 to U+2069
            return (byte(1) == 0x80 &&
                    (within(byte(2), 0x8e, 0x8f) || within(byte(2), 0xa8, 0xae))) ||
                           (byte(1) == 0x81 && within(byte(2), 0xa6, 0xa9))
                       ? 3
                       : 0;
        default:
            return 0;
    }
}

void append_unicode_escape(std::string& out, char32_t value) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) {
        out += digits[value >> shift & 15U];
    }
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    std::size_t plain = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!may_need_escape(text[at])) {
            continue;
        }
        const std::size_t length = is_ascii(text[at]) ? 1 : obeyed_length(text, at);
        if (length == 0) {
            continue;
        }
        out.append(text, plain, at - plain);
        if (is_ascii(text[at])) {
            append_escape(out, text[at]);
        } else {
            append_unicode_escape(out, core::first_code_point(text.substr(at)).value);
        }
        plain = at + length;
        at = plain - 1;
    }
    out.append(text, plain);
    out += '"';
}

void append_json_integer(std::string& out, std::int64_t value) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, end);
}

// A tenth of the time of core::format_timestamp(), whose text this is; a line of replay has a
// dozen.
void append_json_time(std::string& out, core::WallTime at) {
    constexpr core::WallTime first_of_year_0{-62'167'219'200, 0};
    constexpr core::WallTime last_of_year_9999{253'402'300'799, 999'999'999};
    at = std::clamp(at, first_of_year_0, last_of_year_9999);
    namespace chrono = std::chrono;
    const chrono::sys_seconds instant{chrono::seconds(at.seconds)};
    const auto day = chrono::floor<chrono::days>(instant);
    const chrono::year_month_day date(day);
    const std::int64_t second = (instant - day).count();
    append_digits(out, '"', static_cast<int>(date.year()), 4);
    append_digits(out, '-', static_cast<unsigned>(date.month()), 2);
    append_digits(out, '-', static_cast<unsigned>(date.day()), 2);
    append_digits(out, 'T', second / 3600, 2);
    append_digits(out, ':', second / 60 % 60, 2);
    append_digits(out, ':', second % 60, 2);
    append_fraction(out, at.nanoseconds);
    out += "Z\"";
}

}  // namespace ome::wire
