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

std::string_view to_string(AttemptChange change) {
    switch (change) {
        case AttemptChange::None:
            break;
        case AttemptChange::GateClosed:
            return "gate-closed";
        case AttemptChange::GateLifted:
            return "gate-lifted";
        case AttemptChange::CeilingLost:
            return "ceiling-lost";
        case AttemptChange::CeilingKnown:
            return "ceiling-known";
        case AttemptChange::CeilingMoved:
            return "ceiling-moved";
    }
    return {};
}

void AttemptHistory::add(const AttemptRecord& record) {
    const Phases& phases = record.phases;
    Packed& packed = ring_[next_];
    retire(std::exchange(packed, Packed{}));
    packed.milliseconds = record.at.seconds * 1000 + record.at.nanoseconds / 1'000'000;
    packed.microseconds = {microseconds(phases.dns),
                           microseconds(phases.connect),
                           microseconds(phases.tls),
                           microseconds(phases.first_byte),
                           microseconds(phases.total)};
    packed.status = static_cast<std::int16_t>(record.status.value_or(0));
    packed.result = record.result;
    packed.fault = record.fault;
    packed.change = record.change;
    packed.reason = keep_reason(record);
    next_ = static_cast<std::uint8_t>((next_ + 1U) % capacity);
    size_ = static_cast<std::uint8_t>(std::min<std::size_t>(size_ + 1U, capacity));
}

void AttemptHistory::retire(const Packed& leaving) {
    if (leaving.change == AttemptChange::None) {
        release_reason(leaving.reason);
        return;
    }
    changes_.push_back(leaving);
    if (changes_.size() > most_changes) {
        const Reason oldest = changes_.front().reason;
        changes_.erase(changes_.begin());
        release_reason(oldest);
    }
}

// What most attempts have for a reason takes no room: it follows from the status.
AttemptHistory::Reason AttemptHistory::keep_reason(const AttemptRecord& record) {
    constexpr auto first = static_cast<std::size_t>(Reason::FirstKept);
    static_assert(first + capacity + most_changes <= 32, "Packed has five bits for it");
    if (record.reason.empty()) {
        return Reason::None;
    }
    if (record.status && record.reason == status_text(*record.status)) {
        return Reason::PlainStatus;
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
    return static_cast<Reason>(first + static_cast<std::size_t>(place - reasons_.begin()));
}

// The entry that had it is no longer among the others.
void AttemptHistory::release_reason(Reason number) {
    const auto has_it = [number](const Packed& packed) { return packed.reason == number; };
    const bool used = std::any_of(ring_.begin(), ring_.end(), has_it) ||
                      std::any_of(changes_.begin(), changes_.end(), has_it);
    if (number >= Reason::FirstKept && !used) {
        std::string().swap(reasons_[place_of(number)]);
    }
}

std::string AttemptHistory::reason_of(const Packed& packed) const {
    if (packed.reason == Reason::None) {
        return {};
    }
    return packed.reason == Reason::PlainStatus ? status_text(packed.status)
                                                : reasons_[place_of(packed.reason)];
}

AttemptRecord AttemptHistory::unpacked(const Packed& packed, Kind kind, std::string reason) {
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
    record.reason = std::move(reason);
    record.change = packed.change;
    return record;
}

std::vector<AttemptRecord> AttemptHistory::newest_first(Kind kind) const {
    std::vector<AttemptRecord> records;
    records.reserve(size_ + changes_.size());
    for (std::size_t back = 1; back <= size_; ++back) {
        const Packed& packed = ring_[(next_ + capacity - back) % capacity];
        records.push_back(unpacked(packed, kind, reason_of(packed)));
    }
    for (auto packed = changes_.rbegin(); packed != changes_.rend(); ++packed) {
        records.push_back(unpacked(*packed, kind, reason_of(*packed)));
    }
    return records;
}

}  // namespace ome::core
