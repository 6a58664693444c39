#include "events.hpp"
#include "require.hpp"
#include "targets.hpp"
#include <ome/core/timestamp.hpp>

#include <cstring>
#include <ctime>
#include <string>

namespace ome::fuzz {
namespace {

constexpr core::WallTime first{-62'167'219'200, 0};           // 0000-01-01T00:00:00Z
constexpr core::WallTime last{253'402'300'799, 999'999'999};  // the end of 9999

// The C library's calendar, which shares nothing with ours.
void check_calendar(core::WallTime at, const std::string& text) {
    const std::time_t seconds = at.seconds;
    std::tm parts{};
    if (gmtime_r(&seconds, &parts) == nullptr || parts.tm_year + 1900 < 1000) {
        return;  // strftime pads no years
    }
    char date[32] = {};
    require(std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts) != 0, "a date fits");
    require(text.starts_with(date), "the C library has the same date");
}

void check_instant(core::WallTime at) {
    const std::string text = core::format_timestamp(at);
    require(text.size() <= 40, "a stamp is short");
    if (at < first || last < at) {
        return;
    }
    const auto again = core::parse_timestamp(text);
    require(again == at, "a printed stamp reads back");
    check_calendar(at, text);
}

}  // namespace

void check_timestamp(std::string_view input) {
    if (const auto at = core::parse_timestamp(input)) {
        require(at->nanoseconds >= 0 && at->nanoseconds < 1'000'000'000, "a part of a second");
        require(input.size() >= 20 && input[4] == '-' && input[10] == 'T', "a stamp has its form");
        check_instant(*at);
    }
    std::int64_t number = 0;
    std::memcpy(&number, input.data(), std::min(input.size(), sizeof number));
    const std::int64_t span = last.seconds - first.seconds;
    const std::int64_t within = (number % span + span) % span;
    check_instant({first.seconds + within, static_cast<std::int32_t>(within % 1'000'000'000)});
}

}  // namespace ome::fuzz
