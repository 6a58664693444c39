#include <ome/core/duration.hpp>

#include <fmt/format.h>

#include <array>
#include <limits>

namespace ome::core {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t nanos;
};

constexpr std::uint64_t nanos_per_second = 1'000'000'000;
constexpr std::array<Unit, 8> units{{{"ns", 1},
                                     {"us", 1'000},
                                     {"\u00b5s", 1'000},  // micro sign
                                     {"\u03bcs", 1'000},  // Greek mu, which keyboards give
                                     {"ms", 1'000'000},
                                     {"s", nanos_per_second},
                                     {"m", 60 * nanos_per_second},
                                     {"h", 3600 * nanos_per_second}}};

// Magnitudes run up to 2^63, so that the most negative duration can be written.
constexpr std::uint64_t magnitude_limit = std::uint64_t{1} << 63;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view take_while(std::string_view& text, bool (*wanted)(char)) {
    std::size_t length = 0;
    while (length < text.size() && wanted(text[length])) {
        ++length;
    }
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(length);
    return taken;
}

std::uint64_t digit(char c) {
    return static_cast<std::uint64_t>(c - '0');
}

std::optional<std::uint64_t> whole_number(std::string_view digits) {
    std::uint64_t value = 0;
    for (const char c : digits) {
        if (value > (magnitude_limit - digit(c)) / 10) {
            return std::nullopt;
        }
        value = value * 10 + digit(c);
    }
    return value;
}

// The part of `unit` that the digits behind the point stand for, cut to whole nanoseconds. In
// double, as the reference does it: exact arithmetic would make 0.3333333333333333333h one
// nanosecond less than twenty minutes.
std::uint64_t fraction_of(std::uint64_t unit, std::string_view digits) {
    constexpr auto largest = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    std::uint64_t value = 0;
    double scale = 1;
    for (const char c : digits) {
        if (value > largest / 10 || value * 10 + digit(c) > magnitude_limit) {
            break;  // more digits than a double can tell apart
        }
        value = value * 10 + digit(c);
        scale *= 10;
    }
    const double part = static_cast<double>(value) * (static_cast<double>(unit) / scale);
    return static_cast<std::uint64_t>(part);
}

std::optional<std::uint64_t> unit_named(std::string_view name) {
    for (const Unit& unit : units) {
        if (unit.name == name) {
            return unit.nanos;
        }
    }
    return std::nullopt;
}

// One `<number><unit>`, cut from the front of `text`.
std::optional<std::uint64_t> take_term(std::string_view& text) {
    const std::string_view whole_digits = take_while(text, is_digit);
    std::string_view fraction_digits;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        fraction_digits = take_while(text, is_digit);
    }
    if (whole_digits.empty() && fraction_digits.empty()) {
        return std::nullopt;
    }
    const auto whole = whole_number(whole_digits);
    const auto unit = unit_named(take_while(text, [](char c) { return c != '.' && !is_digit(c); }));
    if (!whole || !unit || *whole > magnitude_limit / *unit) {
        return std::nullopt;
    }
    const std::uint64_t sum = *whole * *unit + fraction_of(*unit, fraction_digits);
    return sum <= magnitude_limit ? std::optional(sum) : std::nullopt;
}

std::optional<std::uint64_t> magnitude(std::string_view text) {
    if (text == "0") {
        return 0;
    }
    if (text.empty()) {
        return std::nullopt;
    }
    std::uint64_t total = 0;
    while (!text.empty()) {
        const auto term = take_term(text);
        if (!term || *term > magnitude_limit - total) {
            return std::nullopt;
        }
        total += *term;
    }
    return total;
}

// `count` units of which `per` make one of the printed unit: 1500 per 1000 is "1.5".
std::string decimal(std::uint64_t count, std::uint64_t per) {
    std::string text = fmt::format("{}", count / per);
    std::uint64_t rest = count % per;
    if (rest == 0) {
        return text;
    }
    text += '.';
    while (rest != 0) {
        per /= 10;
        text += static_cast<char>('0' + rest / per);
        rest %= per;
    }
    return text;
}

std::string below_a_second(std::uint64_t nanos) {
    if (nanos < 1'000) {
        return fmt::format("{}ns", nanos);
    }
    return nanos < 1'000'000 ? decimal(nanos, 1'000) + "\u00b5s" : decimal(nanos, 1'000'000) + "ms";
}

std::string from_a_second_on(std::uint64_t nanos) {
    const std::uint64_t minutes = nanos / (60 * nanos_per_second);
    std::string text;
    if (minutes >= 60) {
        text += fmt::format("{}h", minutes / 60);
    }
    if (minutes > 0) {
        text += fmt::format("{}m", minutes % 60);
    }
    return text + decimal(nanos % (60 * nanos_per_second), nanos_per_second) + "s";
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    const auto found = magnitude(text);
    if (!found || (*found == magnitude_limit && !negative)) {
        return std::nullopt;
    }
    // Negated as unsigned: the most negative value has no positive twin.
    return Duration(static_cast<std::int64_t>(negative ? 0 - *found : *found));
}

std::string format_duration(Duration duration) {
    if (duration == Duration::zero()) {
        return "0s";
    }
    const auto bits = static_cast<std::uint64_t>(duration.count());
    const bool negative = duration < Duration::zero();
    const std::uint64_t nanos = negative ? 0 - bits : bits;
    const std::string text =
        nanos < nanos_per_second ? below_a_second(nanos) : from_a_second_on(nanos);
    return negative ? "-" + text : text;
}

}  // namespace ome::core
