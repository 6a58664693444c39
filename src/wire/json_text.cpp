#include <ome/wire/json_text.hpp>

#include <charconv>
#include <chrono>

namespace ome::wire {
namespace {

bool needs_escape(char byte) {
    return byte == '"' || byte == '\\' || static_cast<unsigned char>(byte) < 0x20;
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
    constexpr std::string_view digits = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    out += R"(\u00)";
    out += digits[value >> 4];
    out += digits[value & 15];
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

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    std::size_t plain = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (needs_escape(text[at])) {
            out.append(text, plain, at - plain);
            append_escape(out, text[at]);
            plain = at + 1;
        }
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
