#include "svg.hpp"

#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

namespace ome::observer::svg {
namespace {

constexpr std::int64_t minute = 60;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t day = 24 * hour;

constexpr std::array<std::int64_t, 22> round_steps{
    1,          2,           5,           10,          15,       30,       minute,   2 * minute,
    5 * minute, 10 * minute, 15 * minute, 30 * minute, hour,     2 * hour, 3 * hour, 6 * hour,
    12 * hour,  day,         2 * day,     7 * day,     30 * day, 365 * day};

double column_of(double x) {
    return std::floor(x * 2) / 2;
}

std::int64_t step_for(std::int64_t seconds, std::size_t most) {
    const auto wanted = std::max<std::int64_t>(seconds / static_cast<std::int64_t>(most), 1);
    const auto found = std::lower_bound(round_steps.begin(), round_steps.end(), wanted);
    return found != round_steps.end() ? *found : (wanted / (365 * day) + 1) * (365 * day);
}

// `2026-09-28T10:00:00.000Z` has the date up to 10, minutes up to 16 and seconds up to 19.
std::string label_of(core::WallTime at, std::int64_t step, bool days) {
    const std::string stamp = core::format_timestamp(at);
    if (step >= day) {
        return stamp.substr(0, 10);
    }
    const std::string time = stamp.substr(11, step < minute ? 8 : 5);
    return days ? stamp.substr(5, 5) + " " + time : time;
}

}  // namespace

std::string escape(std::string_view text, std::size_t longest) {
    std::string out;
    for (const char c : core::shorten(core::sanitize_detail(text, 4 * longest), longest)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string number(double value) {
    std::string text = fmt::format("{:.1f}", value);
    if (text.ends_with(".0")) {
        text.resize(text.size() - 2);
    }
    return text == "-0" ? "0" : text;
}

void StepLine::move(double x, double y) {
    first_x_ = path_.empty() ? x : first_x_;
    path_ += "M" + number(x) + " " + number(y);
    drawn_ = y;
}

void StepLine::rise(double y) {
    if (y != *drawn_) {
        path_ += "V" + number(y);
        drawn_ = y;
    }
}

// From where the line was last in the column that ends here.
void StepLine::go_on(double x) {
    if (!at_) {
        return;
    }
    if (!drawn_) {
        move(column_, *at_);
    }
    rise(*at_);
    path_ += "H" + number(x);
}

void StepLine::to(double x, std::optional<double> y) {
    if (at_ == y) {
        return;
    }
    const double column = column_of(x);
    if (column != column_) {
        go_on(column);
        column_ = column;
        low_ = at_.value_or(std::numeric_limits<double>::infinity());
        high_ = at_.value_or(-std::numeric_limits<double>::infinity());
    }
    at_ = y;
    if (!y) {
        drawn_.reset();
    } else if (*y < low_ || *y > high_) {
        low_ = std::min(low_, *y);
        high_ = std::max(high_, *y);
        drawn_ ? rise(*y) : move(column, *y);
    }
}

std::string StepLine::end(double x) {
    go_on(column_of(x));
    return path_;
}

std::string StepLine::end_above(double x, double bottom) {
    go_on(column_of(x));
    if (path_.empty()) {
        return path_;
    }
    return path_ + "V" + number(bottom) + "H" + number(first_x_) + "Z";
}

std::vector<TimeTick> time_ticks(core::WallTime from, core::WallTime to, std::size_t most) {
    const std::int64_t seconds = std::max<std::int64_t>(to.seconds - from.seconds, 1);
    const std::int64_t step = step_for(seconds, std::max<std::size_t>(most, 1));
    const double span = std::max(std::chrono::duration<double>(to - from).count(), 1.0);
    const bool days = seconds >= day;
    std::vector<TimeTick> ticks;
    std::int64_t at = from.seconds - ((from.seconds % step) + step) % step;
    for (; at <= to.seconds; at += step) {
        const core::WallTime tick{at, 0};
        if (tick >= from) {
            const double since = std::chrono::duration<double>(tick - from).count();
            ticks.push_back({since / span, label_of(tick, step, days)});
        }
    }
    return ticks;
}

std::vector<std::int32_t> count_ticks(std::int32_t top) {
    constexpr std::int64_t most = 5;
    std::int64_t step = 1;
    std::int64_t power = 1;
    while (top / step > most) {
        for (const std::int64_t factor : {1, 2, 5}) {
            step = factor * power;
            if (top / step <= most) {
                break;
            }
        }
        power *= 10;
    }
    std::vector<std::int32_t> ticks;
    for (std::int64_t at = 0; at <= std::max(top, 0); at += step) {
        ticks.push_back(static_cast<std::int32_t>(at));
    }
    return ticks;
}

}  // namespace ome::observer::svg
