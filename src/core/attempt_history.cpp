#include <ome/core/attempt_history.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace ome::core {
namespace {

std::uint32_t microseconds(Duration duration) {
    const auto count = std::chrono::floor<std::chrono::microseconds>(duration).count();
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(count, 0, std::numeric_limits<std::uint32_t>::max()));
}

Duration duration(std::uint32_t microseconds) {
    return std::chrono::microseconds(microseconds);
}

// What most attempts have for a reason takes no room: it follows from the status.
constexpr std::uint8_t no_reason = 0;
constexpr std::uint8_t plain_status = 1;
constexpr std::uint8_t first_kept = 2;

std::string status_text(std::int32_t status) {
    return fmt::format("HTTP {}", status);
}

WallTime wall_time(std::int64_t milliseconds) {
    return WallTime{} + std::chrono::milliseconds(milliseconds);
}

}  // namespace

std::string_view to_string(AttemptResult result) {
    switch (result) {
        case AttemptResult::Accepted:
            return "Accepted";
        case AttemptResult::Failed:
            return "Failed";
        case AttemptResult::Passing:
            return "Passing";
        case AttemptResult::Failing:
            return "Failing";
        case AttemptResult::Unknown:
            break;
    }
    return "Unknown";
}

void AttemptHistory::add(const AttemptRecord& record) {
    const Phases& phases = record.phases;
    release_reason(std::exchange(ring_[next_].reason, no_reason));
    Packed& packed = ring_[next_];
    packed.milliseconds = record.at.seconds * 1000 + record.at.nanoseconds / 1'000'000;
    packed.microseconds = {microseconds(phases.dns),
                           microseconds(phases.connect),
                           microseconds(phases.tls),
                           microseconds(phases.first_byte),
                           microseconds(phases.total)};
    packed.status = static_cast<std::int16_t>(record.status.value_or(0));
    packed.result = record.result;
    packed.fault = record.fault;
    packed.reason = keep_reason(record);
    next_ = static_cast<std::uint8_t>((next_ + 1U) % capacity);
    size_ = static_cast<std::uint8_t>(std::min<std::size_t>(size_ + 1U, capacity));
}

std::uint8_t AttemptHistory::keep_reason(const AttemptRecord& record) {
    if (record.reason.empty()) {
        return no_reason;
    }
    if (record.status && record.reason == status_text(*record.status)) {
        return plain_status;
    }
    std::string reason = shorten_bytes(record.reason, longest_reason);
    auto place = std::find(reasons_.begin(), reasons_.end(), reason);
    if (place == reasons_.end()) {
        place = std::find(reasons_.begin(), reasons_.end(), std::string());
    }
    if (place == reasons_.end()) {
        place = reasons_.emplace(place);
    }
    *place = std::move(reason);
    return static_cast<std::uint8_t>(first_kept + (place - reasons_.begin()));
}

void AttemptHistory::release_reason(std::uint8_t number) {
    const bool used = std::any_of(ring_.begin(), ring_.end(), [number](const Packed& packed) {
        return packed.reason == number;
    });
    if (number >= first_kept && !used) {
        std::string().swap(reasons_[number - first_kept]);
    }
}

std::string AttemptHistory::reason_of(const Packed& packed) const {
    if (packed.reason == no_reason) {
        return {};
    }
    return packed.reason == plain_status ? status_text(packed.status)
                                         : reasons_[packed.reason - first_kept];
}

std::vector<AttemptRecord> AttemptHistory::newest_first(Kind kind) const {
    std::vector<AttemptRecord> records;
    records.reserve(size_);
    for (std::size_t back = 1; back <= size_; ++back) {
        const Packed& packed = ring_[(next_ + capacity - back) % capacity];
        const auto& us = packed.microseconds;
        AttemptRecord record;
        record.at = wall_time(packed.milliseconds);
        record.kind = kind;
        record.result = packed.result;
        if (packed.status != 0) {
            record.status = packed.status;
        }
        record.phases = {
            duration(us[0]), duration(us[1]), duration(us[2]), duration(us[3]), duration(us[4])};
        record.fault = packed.fault;
        record.reason = reason_of(packed);
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace ome::core
