#include "duration_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace ome::homesim {
namespace {

using namespace std::chrono_literals;

struct Unit {
    std::string_view name;
    core::Duration size;
};

constexpr std::array<Unit, 5> units{{{"h", 1h}, {"m", 1min}, {"s", 1s}, {"ms", 1ms}, {"us", 1us}}};
constexpr double longest_seconds = 1e9;

}  // namespace

std::optional<core::Duration> parse_duration(std::string_view text) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc{} || !std::isfinite(number)) {
        return std::nullopt;
    }
    const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const Unit& unit : units) {
        const double nanos = number * static_cast<double>(unit.size.count());
        if (name == unit.name && std::abs(nanos) < longest_seconds * 1e9) {
            return core::Duration(std::llround(nanos));
        }
    }
    return std::nullopt;
}

std::string format_duration(core::Duration duration) {
    for (const Unit& unit : units) {
        if (duration.count() != 0 && duration % unit.size == 0ns) {
            return fmt::format("{}{}", duration / unit.size, unit.name);
        }
    }
    return fmt::format("{}s", static_cast<double>(duration.count()) / 1e9);
}

}  // namespace ome::homesim
