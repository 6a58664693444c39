#include "yaml_scalar.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <utility>

namespace ome::wire {
namespace {

namespace json = boost::json;

bool one_of(std::string_view text, std::initializer_list<std::string_view> forms) {
    return std::find(forms.begin(), forms.end(), text) != forms.end();
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view without_sign(std::string_view text) {
    return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

bool all_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

template <typename Number, typename... Base>
std::optional<Number> whole(std::string_view text, Base... base) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, base...);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

std::optional<json::value> radix_integer(std::string_view text) {
    const bool octal = text.starts_with("0o");
    if (!octal && !text.starts_with("0x")) {
        return std::nullopt;
    }
    const auto number = whole<std::uint64_t>(text.substr(2), octal ? 8 : 16);
    return number ? std::optional<json::value>(*number) : std::nullopt;
}

// Digits, at most one point with a digit beside it, and an exponent.
bool looks_like_a_number(std::string_view text) {
    text = without_sign(text);
    const std::size_t exponent = text.find_first_of("eE");
    if (exponent != text.npos) {
        if (!all_digits(without_sign(text.substr(exponent + 1)))) {
            return false;
        }
        text = text.substr(0, exponent);
    }
    const std::size_t point = text.find('.');
    if (point == text.npos) {
        return all_digits(text);
    }
    const std::string_view before = text.substr(0, point);
    const std::string_view after = text.substr(point + 1);
    return (all_digits(before) && (after.empty() || all_digits(after))) ||
           (before.empty() && all_digits(after));
}

std::optional<json::value> decimal_number(std::string_view text) {
    if (!looks_like_a_number(text)) {
        return std::nullopt;
    }
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    if (all_digits(without_sign(digits))) {
        if (const auto number = whole<std::int64_t>(digits)) {
            return *number;
        }
        if (const auto number = whole<std::uint64_t>(digits)) {
            return *number;
        }
    }
    const auto number = whole<double>(digits);
    return number ? std::optional<json::value>(*number) : std::nullopt;
}

}  // namespace

json::value plain_scalar(std::string_view text, json::storage_ptr memory) {
    if (one_of(text, {"", "~", "null", "Null", "NULL"})) {
        return nullptr;
    }
    if (one_of(text, {"true", "True", "TRUE"})) {
        return true;
    }
    if (one_of(text, {"false", "False", "FALSE"})) {
        return false;
    }
    if (std::optional<json::value> number = radix_integer(text)) {
        return *number;
    }
    if (std::optional<json::value> number = decimal_number(text)) {
        return *number;
    }
    return json::string(text, std::move(memory));
}

}  // namespace ome::wire
