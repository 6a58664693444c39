#include <ome/core/advice.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

// A start within this of its slot is on time for any period that the limits allow.
constexpr Duration tolerated_lateness = 250ms;

constexpr double room_for_bursts = 1.25;

std::int64_t round_up(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::int64_t sufficient_limit(double needed) {
    const auto least = static_cast<std::int64_t>(std::ceil(needed * room_for_bursts));
    return round_up(least, least < 100 ? 4 : least < 1000 ? 20 : 100);
}

std::vector<std::string> budget_advice(const BudgetFigures& figures) {
    const auto needed = static_cast<std::int64_t>(std::ceil(figures.needed));
    const Duration late = std::max(figures.lateness, figures.wait);
    if (needed > figures.limit && late > tolerated_lateness) {
        return {fmt::format(
            "{}, {} needed: attempts are {:.1f} s late; set maxConcurrentRequests to at "
            "least {}",
            counted(static_cast<std::size_t>(figures.limit), "slot", "slots"),
            needed,
            seconds(late),
            sufficient_limit(figures.needed))};
    }
    if (figures.lateness > tolerated_lateness) {
        return {fmt::format(
            "attempts are {:.1f} s late although {} of {} on average: bursts fill the budget "
            "or this process gets too little CPU",
            seconds(figures.lateness),
            needed,
            figures.limit == 1 ? "1 slot suffices"
                               : fmt::format("{} slots suffice", figures.limit))};
    }
    return {};
}

}  // namespace ome::core
