#include "http_date.hpp"

#include <algorithm>
#include <chrono>

namespace ome::net {
namespace {

constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// Zero digits stand for a number; anything else for itself.
constexpr std::string_view shape = "???, 00 ??? 0000 00:00:00 GMT";

bool has_shape(std::string_view text) {
    return std::equal(
        text.begin(), text.end(), shape.begin(), shape.end(), [](char c, char wanted) {
            return wanted == '?' || (wanted == '0' ? c >= '0' && c <= '9' : c == wanted);
        });
}

template <typename Number = int>
Number number(std::string_view text, std::size_t at, std::size_t size) {
    Number value{};
    for (const char digit : text.substr(at, size)) {
        value = value * 10 + static_cast<Number>(digit - '0');
    }
    return value;
}

}  // namespace

std::optional<core::WallTime> parse_http_date(std::string_view text) {
    if (!has_shape(text)) {
        return std::nullopt;
    }
    const std::size_t month = months.find(text.substr(8, 3));
    if (month == std::string_view::npos || month % 3 != 0) {
        return std::nullopt;
    }
    const std::chrono::year_month_day day(std::chrono::year(number(text, 12, 4)),
                                          std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                          std::chrono::day(number<unsigned>(text, 5, 2)));
    if (!day.ok() || number(text, 17, 2) > 23 || number(text, 20, 2) > 59) {
        return std::nullopt;
    }
    const std::chrono::seconds at =
        std::chrono::sys_days(day).time_since_epoch() + std::chrono::hours(number(text, 17, 2)) +
        std::chrono::minutes(number(text, 20, 2)) + std::chrono::seconds(number(text, 23, 2));
    return core::WallTime{at.count(), 0};
}

}  // namespace ome::net
