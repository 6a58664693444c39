#include <ome/core/attempt_history.hpp>

#include <algorithm>
#include <limits>

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
    ring_[next_] = {record.at.seconds * 1000 + record.at.nanoseconds / 1'000'000,
                    {microseconds(phases.dns),
                     microseconds(phases.connect),
                     microseconds(phases.tls),
                     microseconds(phases.first_byte),
                     microseconds(phases.total)},
                    static_cast<std::int16_t>(record.status.value_or(0)),
                    record.result};
    next_ = static_cast<std::uint8_t>((next_ + 1U) % capacity);
    size_ = static_cast<std::uint8_t>(std::min<std::size_t>(size_ + 1U, capacity));
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
        records.push_back(record);
    }
    return records;
}

}  // namespace ome::core
