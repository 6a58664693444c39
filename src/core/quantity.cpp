#include <ome/core/quantity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace ome::core {
namespace {

constexpr std::int64_t nano = -9;
constexpr std::int64_t exa = 18;
constexpr std::int64_t largest_exponent = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view largest_binary = "9223372036854775807";
constexpr std::string_view decimal_suffixes = "num kMGTPE";  // from 10^-9 in steps of 10^3
constexpr std::string_view binary_suffixes = "KMGTPE";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
}

void normalize(Quantity& quantity) {
    std::string& digits = quantity.digits;
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.empty()) {
        quantity = {.form = quantity.form};
        return;
    }
    const std::size_t kept = digits.find_last_not_of('0') + 1;
    quantity.exponent += static_cast<std::int64_t>(digits.size() - kept);
    digits.resize(kept);
}

void add_one(std::string& digits) {
    auto at = digits.rbegin();
    while (at != digits.rend() && *at == '9') {
        *at++ = '0';
    }
    if (at == digits.rend()) {
        digits.insert(0, "1");
    } else {
        ++*at;
    }
}

void round_away_below_nano(Quantity& quantity) {
    if (quantity.exponent >= nano || quantity.digits == "0") {
        return;
    }
    const auto dropped = static_cast<std::uint64_t>(nano - quantity.exponent);
    quantity.digits.resize(quantity.digits.size() -
                           std::min<std::uint64_t>(dropped, quantity.digits.size()));
    quantity.exponent = nano;
    add_one(quantity.digits);  // normalized before, so what was dropped is not zero
    normalize(quantity);
}

void multiply(std::string& digits, unsigned factor) {
    unsigned carry = 0;
    for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
        const unsigned product = static_cast<unsigned>(*at - '0') * factor + carry;
        *at = static_cast<char>('0' + product % 10);
        carry = product / 10;
    }
    for (; carry != 0; carry /= 10) {
        digits.insert(digits.begin(), static_cast<char>('0' + carry % 10));
    }
}

// The quotient when `divisor` divides it; absent otherwise.
std::optional<std::string> divided(std::string_view digits, unsigned divisor) {
    std::string quotient;
    unsigned rest = 0;
    for (const char digit : digits) {
        rest = rest * 10 + static_cast<unsigned>(digit - '0');
        quotient += static_cast<char>('0' + rest / divisor);
        rest %= divisor;
    }
    quotient.erase(0, std::min(quotient.find_first_not_of('0'), quotient.size() - 1));
    return rest == 0 ? std::optional(quotient) : std::nullopt;
}

std::string whole(const Quantity& quantity) {
    return quantity.digits + std::string(static_cast<std::size_t>(quantity.exponent), '0');
}

bool less(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

bool above_largest_binary(const Quantity& quantity) {
    const std::int64_t places =
        static_cast<std::int64_t>(quantity.digits.size()) + quantity.exponent;
    if (quantity.negative || places < static_cast<std::int64_t>(largest_binary.size())) {
        return false;
    }
    const std::string_view digits = quantity.digits;
    return quantity.exponent >= 0
               ? less(largest_binary, whole(quantity))
               : !less(digits.substr(0, static_cast<std::size_t>(places)), largest_binary);
}

bool apply_binary(Quantity& quantity, std::string_view suffix) {
    const std::size_t power = binary_suffixes.find(suffix[0]);
    if (power == binary_suffixes.npos) {
        return false;
    }
    quantity.form = Quantity::Form::BinarySuffix;
    for (std::size_t i = 0; i <= power; ++i) {
        multiply(quantity.digits, 1024);
    }
    return true;
}

bool apply_decimal(Quantity& quantity, char suffix) {
    const std::size_t step = decimal_suffixes.find(suffix);
    if (step == decimal_suffixes.npos || suffix == ' ') {
        return false;
    }
    quantity.exponent += nano + 3 * static_cast<std::int64_t>(step);
    return true;
}

bool apply_exponent(Quantity& quantity, std::string_view suffix) {
    suffix.remove_prefix(1);
    if (suffix.starts_with('+')) {
        suffix.remove_prefix(1);
        if (suffix.starts_with('-')) {
            return false;
        }
    }
    std::int32_t exponent = 0;
    const auto [end, error] =
        std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
    quantity.exponent += exponent;
    quantity.form = Quantity::Form::DecimalExponent;
    return error == std::errc() && end == suffix.data() + suffix.size();
}

bool apply_suffix(Quantity& quantity, std::string_view suffix) {
    if (suffix.empty()) {
        return true;
    }
    if (suffix.size() == 1) {
        return apply_decimal(quantity, suffix[0]);
    }
    if (suffix[0] == 'e' || suffix[0] == 'E') {
        return suffix == "Ei" ? apply_binary(quantity, suffix) : apply_exponent(quantity, suffix);
    }
    return suffix.size() == 2 && suffix[1] == 'i' && apply_binary(quantity, suffix);
}

std::string binary_text(const Quantity& quantity) {
    std::string digits = whole(quantity);
    std::size_t power = 0;
    for (auto next = divided(digits, 1024); next && power < binary_suffixes.size();
         next = divided(digits, 1024)) {
        digits = *next;
        ++power;
    }
    return power == 0 ? digits : fmt::format("{}{}i", digits, binary_suffixes[power - 1]);
}

std::int64_t multiple_of_3_at_most(std::int64_t exponent) {
    return exponent - ((exponent % 3) + 3) % 3;
}

std::string decimal_text(const Quantity& quantity) {
    const bool exponential = quantity.form == Quantity::Form::DecimalExponent;
    std::int64_t base = multiple_of_3_at_most(quantity.exponent);
    base = exponential ? base : std::min(base, exa);
    std::string digits = quantity.digits;
    digits.append(static_cast<std::size_t>(quantity.exponent - base), '0');
    if (base == 0) {
        return digits;
    }
    return exponential ? fmt::format("{}e{}", digits, base)
                       : digits + decimal_suffixes[static_cast<std::size_t>((base - nano) / 3)];
}

}  // namespace

std::string Quantity::canonical() const {
    if (digits == "0") {
        return digits;
    }
    const bool binary = form == Form::BinarySuffix && exponent >= 0 && !less(whole(*this), "1024");
    return (negative ? "-" : "") + (binary ? binary_text(*this) : decimal_text(*this));
}

std::string Quantity::decimal() const {
    constexpr std::int64_t most_digits = 18;
    const auto length = static_cast<std::int64_t>(digits.size());
    if (digits == "0" || std::max(length, length + exponent) > most_digits ||
        -exponent > most_digits) {
        return canonical();
    }
    const std::string sign = negative ? "-" : "";
    if (exponent >= 0) {
        return sign + digits + std::string(static_cast<std::size_t>(exponent), '0');
    }
    const auto behind = static_cast<std::size_t>(-exponent);
    const std::string padded =
        digits.size() > behind ? digits : std::string(behind + 1 - digits.size(), '0') + digits;
    return sign + padded.substr(0, padded.size() - behind) + "." +
           padded.substr(padded.size() - behind);
}

std::string decimal_of(const std::string& quantity) {
    const auto parsed = parse_quantity(quantity);
    return parsed ? parsed->decimal() : quantity;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
    Quantity quantity;
    if (text.starts_with('-') || text.starts_with('+')) {
        quantity.negative = text[0] == '-';
        text.remove_prefix(1);
    }
    quantity.digits = take_digits(text);
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        const std::string_view fraction = take_digits(text);
        quantity.digits += fraction;
        quantity.exponent = -static_cast<std::int64_t>(fraction.size());
    }
    if (quantity.digits.empty() || !apply_suffix(quantity, text)) {
        return std::nullopt;
    }
    normalize(quantity);
    round_away_below_nano(quantity);
    if (quantity.exponent > largest_exponent) {  // it could not be written so that it reads back
        return std::nullopt;
    }
    if (quantity.form == Quantity::Form::BinarySuffix && above_largest_binary(quantity)) {
        quantity.digits = largest_binary;
        quantity.exponent = 0;
    }
    return quantity;
}

}  // namespace ome::core
