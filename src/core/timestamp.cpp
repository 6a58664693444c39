#include <ome/core/timestamp.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace ome::core {
namespace {

namespace chrono = std::chrono;

constexpr std::int64_t seconds_per_day = 86'400;
constexpr WallTime first_of_year_0{-62'167'219'200, 0};
constexpr WallTime last_of_year_9999{253'402'300'799, 999'999'999};

// Reads a stamp from left to right; after the first mismatch everything else fails too.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    // Exactly `width` digits, at most `limit`.
    int number(std::size_t width, int limit) {
        int value = 0;
        for (std::size_t i = 0; i < width; ++i) {
            value = value * 10 + digit();
        }
        ok_ = ok_ && value <= limit;
        return value;
    }

    void expect(char wanted) { ok_ = take(wanted) && ok_; }

    bool take(char wanted) {
        const bool there = rest_.starts_with(wanted);
        rest_.remove_prefix(there ? 1 : 0);
        return there;
    }

    // At least one digit; those beyond nanoseconds are read and dropped.
    std::int32_t fraction() {
        std::int32_t nanos = digit();
        int kept = 1;
        while (at_digit()) {
            const int next = digit();
            nanos = kept < 9 ? nanos * 10 + next : nanos;
            kept += kept < 9 ? 1 : 0;
        }
        for (; kept < 9; ++kept) {
            nanos *= 10;
        }
        return nanos;
    }

    [[nodiscard]] bool complete() const { return ok_ && rest_.empty(); }

private:
    [[nodiscard]] bool at_digit() const {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }

    int digit() {
        if (!at_digit()) {
            ok_ = false;
            return 0;
        }
        const int value = rest_.front() - '0';
        rest_.remove_prefix(1);
        return value;
    }

    std::string_view rest_;
    bool ok_ = true;
};

chrono::year_month_day read_date(Reader& reader) {
    const chrono::year year(reader.number(4, 9999));
    reader.expect('-');
    const chrono::month month(static_cast<unsigned>(reader.number(2, 12)));
    reader.expect('-');
    const chrono::day day(static_cast<unsigned>(reader.number(2, 31)));
    return {year, month, day};
}

std::int64_t read_time_of_day(Reader& reader) {
    const int hours = reader.number(2, 23);
    reader.expect(':');
    const int minutes = reader.number(2, 59);
    reader.expect(':');
    return hours * 3600 + minutes * 60 + reader.number(2, 59);
}

std::int64_t read_offset(Reader& reader) {
    if (reader.take('Z')) {
        return 0;
    }
    const bool west = reader.take('-');
    if (!west) {
        reader.expect('+');
    }
    const int hours = reader.number(2, 23);
    reader.expect(':');
    const int seconds = hours * 3600 + reader.number(2, 59) * 60;
    return west ? -seconds : seconds;
}

// As few digits of three, six or nine as show the value whole.
std::string fraction_text(std::int32_t nanos) {
    if (nanos % 1'000'000 == 0) {
        return fmt::format("{:03}", nanos / 1'000'000);
    }
    return nanos % 1'000 == 0 ? fmt::format("{:06}", nanos / 1'000) : fmt::format("{:09}", nanos);
}

}  // namespace

std::optional<WallTime> parse_timestamp(std::string_view text) {
    Reader reader(text);
    const chrono::year_month_day date = read_date(reader);
    reader.expect('T');
    const std::int64_t time_of_day = read_time_of_day(reader);
    const std::int32_t nanos = reader.take('.') ? reader.fraction() : 0;
    const std::int64_t offset = read_offset(reader);
    if (!reader.complete() || !date.ok()) {
        return std::nullopt;
    }
    const std::int64_t days = chrono::sys_days(date).time_since_epoch().count();
    const WallTime at{days * seconds_per_day + time_of_day - offset, nanos};
    // An offset may lead out of the years that can be written in UTC: nobody could read it back.
    return first_of_year_0 <= at && at <= last_of_year_9999 ? std::optional(at) : std::nullopt;
}

std::string format_timestamp(WallTime at) {
    at = std::clamp(at, first_of_year_0, last_of_year_9999);
    const auto day = chrono::floor<chrono::days>(chrono::sys_seconds(chrono::seconds(at.seconds)));
    const chrono::year_month_day date(day);
    const chrono::hh_mm_ss time(chrono::seconds(at.seconds) - day.time_since_epoch());
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{}Z",
                       static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()),
                       time.hours().count(),
                       time.minutes().count(),
                       time.seconds().count(),
                       fraction_text(at.nanoseconds));
}

}  // namespace ome::core
