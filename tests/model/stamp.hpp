// `2026-09-28T10:00:00Z`, as the maps carry it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace ome::model {

/// Milliseconds since 1970; absent for any other text.
inline std::optional<std::int64_t> parse_stamp(const std::string& text) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    if (std::sscanf(
            text.c_str(), "%d-%u-%uT%d:%d:%d", &year, &month, &day, &hour, &minute, &second) != 6) {
        return {};
    }
    const std::chrono::sys_days date{std::chrono::year(year) / std::chrono::month(month) /
                                     std::chrono::day(day)};
    const auto since = std::chrono::milliseconds(date.time_since_epoch()).count();
    return since + ((hour * 60LL + minute) * 60LL + second) * 1000LL;
}

}  // namespace ome::model
