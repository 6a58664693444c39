#include <ome/core/attempt_history.hpp>
#include <ome/core/text.hpp>

#include <boost/container/static_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace ome::core {
namespace {

// Beside a bit for each phase that is not zero.
constexpr std::uint8_t has_status = 0x20;
constexpr std::uint8_t has_servable = 0x40;
constexpr std::uint8_t has_ceiling = 0x80;

// Seven bits of a number a byte, the lowest first.
constexpr std::uint8_t more_follows = 0x80;

template <typename Number>
std::uint8_t low_byte(Number number) {
    return static_cast<std::uint8_t>(number & 0xffU);
}

template <typename Bytes>
void append_number(Bytes& out, std::uint32_t number) {
    do {
        const bool more = number > 0x7fU;
        out.push_back(low_byte((number & 0x7fU) | (more ? more_follows : 0U)));
        number >>= 7U;
    } while (number != 0);
}

std::uint32_t read_number(const std::uint8_t*& at) {
    std::uint32_t number = 0;
    bool more = true;
    for (unsigned shift = 0; more; shift += 7) {
        number |= (*at & 0x7fU) << shift;
        more = (*at++ & more_follows) != 0;
    }
    return number;
}

// Neither is below zero: a report that were is none.
std::optional<std::uint32_t> unsigned_of(std::optional<std::int32_t> count) {
    return count ? std::optional(static_cast<std::uint32_t>(*count)) : std::nullopt;
}

std::optional<std::int32_t> signed_of(std::optional<std::uint32_t> count) {
    return count ? std::optional(static_cast<std::int32_t>(*count)) : std::nullopt;
}

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
    make_room();
    const Phases& phases = record.phases;
    Entry entry;
    entry.milliseconds = record.at.seconds * 1000 + record.at.nanoseconds / 1'000'000;
    entry.microseconds = {microseconds(phases.dns),
                          microseconds(phases.connect),
                          microseconds(phases.tls),
                          microseconds(phases.first_byte),
                          microseconds(phases.total)};
    entry.status = static_cast<std::int16_t>(record.status.value_or(0));
    entry.result = record.result;
    entry.fault = record.fault;
    entry.change = record.change;
    entry.servable = unsigned_of(record.servable);
    entry.ceiling = unsigned_of(record.ceiling);
    entry.reason = keep_reason(record);
    append(entry);
    ++recent_;
}

// The oldest of the last ones stays where it is when it changed something, as the newest of those.
void AttemptHistory::make_room() {
    if (recent_ < capacity) {
        return;
    }
    --recent_;
    const std::size_t oldest = offset_of(changes_);
    const Entry leaving = read(oldest);
    if (leaving.change == AttemptChange::None) {
        remove(oldest);
        release_reason(leaving.reason);
        return;
    }
    ++changes_;
    if (changes_ > most_changes) {
        const Reason released = read(0).reason;
        remove(0);
        --changes_;
        release_reason(released);
    }
}

// What most attempts have for a reason takes no room: it follows from the status.
AttemptHistory::Reason AttemptHistory::keep_reason(const AttemptRecord& record) {
    constexpr auto first = static_cast<std::size_t>(Reason::FirstKept);
    static_assert(first + capacity + most_changes <= 32, "an entry has five bits for it");
    if (record.reason.empty()) {
        return Reason::None;
    }
    if (record.status && record.reason == status_text(*record.status)) {
        return Reason::PlainStatus;
    }
    std::string reason = shorten_bytes(record.reason, longest_reason);
    if (reasons_ == nullptr) {
        reasons_ = std::make_unique<std::vector<std::string>>();
    }
    auto place = std::find(reasons_->begin(), reasons_->end(), reason);
    if (place == reasons_->end()) {
        place = std::find(reasons_->begin(), reasons_->end(), std::string());
    }
    if (place == reasons_->end()) {
        place = reasons_->emplace(place);
    }
    *place = std::move(reason);
    return static_cast<Reason>(first + static_cast<std::size_t>(place - reasons_->begin()));
}

// The entry that had it is no longer among the others.
void AttemptHistory::release_reason(Reason number) {
    if (number < Reason::FirstKept) {
        return;
    }
    for (std::size_t at = 0; at < bytes_.size(); at += bytes_[at]) {
        if (read(at).reason == number) {
            return;
        }
    }
    std::string().swap((*reasons_)[place_of(number)]);
}

std::string AttemptHistory::reason_of(const Entry& entry) const {
    if (entry.reason == Reason::None) {
        return {};
    }
    return entry.reason == Reason::PlainStatus ? status_text(entry.status)
                                               : (*reasons_)[place_of(entry.reason)];
}

std::size_t AttemptHistory::offset_of(std::size_t number) const {
    std::size_t offset = 0;
    while (number-- > 0) {
        offset += bytes_[offset];
    }
    return offset;
}

// Its length, what it came to, which numbers follow, the time, and of the other numbers those that
// are not zero or absent: a poll on a kept connection has neither lookup, connect nor TLS, a probe
// neither report nor ceiling.
void AttemptHistory::append(const Entry& entry) {
    boost::container::static_vector<std::uint8_t, 4 + 6 + 2 + 7 * 5> out(4);
    out[1] =
        low_byte(static_cast<unsigned>(entry.result) | static_cast<unsigned>(entry.fault) << 4U);
    out[2] =
        low_byte(static_cast<unsigned>(entry.change) | static_cast<unsigned>(entry.reason) << 3U);
    const auto milliseconds = static_cast<std::uint64_t>(entry.milliseconds);
    for (unsigned shift = 0; shift < 48; shift += 8) {
        out.push_back(low_byte(milliseconds >> shift));
    }
    if (entry.status != 0) {
        out[3] |= has_status;
        out.push_back(low_byte(static_cast<unsigned>(entry.status)));
        out.push_back(low_byte(static_cast<unsigned>(entry.status) >> 8U));
    }
    for (std::size_t phase = 0; phase < entry.microseconds.size(); ++phase) {
        if (entry.microseconds[phase] != 0) {
            out[3] = low_byte(out[3] | 1U << phase);
            append_number(out, entry.microseconds[phase]);
        }
    }
    if (entry.servable) {
        out[3] |= has_servable;
        append_number(out, *entry.servable);
    }
    if (entry.ceiling) {
        out[3] |= has_ceiling;
        append_number(out, *entry.ceiling);
    }
    out[0] = static_cast<std::uint8_t>(out.size());
    if (bytes_.size() + out.size() > bytes_.capacity()) {
        bytes_.reserve((bytes_.size() + out.size() + 31) / 32 * 32);  // doubling wastes half of it
    }
    bytes_.insert(bytes_.end(), out.begin(), out.end());
}

AttemptHistory::Entry AttemptHistory::read(std::size_t offset) const {
    const std::uint8_t* at = &bytes_[offset + 1];
    Entry entry;
    entry.result = static_cast<AttemptResult>(*at & 0xfU);
    entry.fault = static_cast<Fault>(*at++ >> 4U);
    entry.change = static_cast<AttemptChange>(*at & 0x7U);
    entry.reason = static_cast<Reason>(*at++ >> 3U);
    const unsigned present = *at++;
    std::uint64_t milliseconds = 0;
    for (unsigned shift = 16; shift < 64; shift += 8) {
        milliseconds |= std::uint64_t{*at++} << shift;
    }
    entry.milliseconds = static_cast<std::int64_t>(milliseconds) >> 16;  // brings the sign back
    if ((present & has_status) != 0) {
        entry.status = static_cast<std::int16_t>(at[0] | at[1] << 8);
        at += 2;
    }
    for (std::size_t phase = 0; phase < entry.microseconds.size(); ++phase) {
        if ((present >> phase & 1U) != 0) {
            entry.microseconds[phase] = read_number(at);
        }
    }
    if ((present & has_servable) != 0) {
        entry.servable = read_number(at);
    }
    if ((present & has_ceiling) != 0) {
        entry.ceiling = read_number(at);
    }
    return entry;
}

void AttemptHistory::remove(std::size_t offset) {
    const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
    bytes_.erase(first, first + *first);
}

AttemptRecord AttemptHistory::unpacked(const Entry& entry, Kind kind, std::string reason) {
    const auto& us = entry.microseconds;
    AttemptRecord record;
    record.at = wall_time(entry.milliseconds);
    record.kind = kind;
    record.result = entry.result;
    if (entry.status != 0) {
        record.status = entry.status;
    }
    record.phases = {
        duration(us[0]), duration(us[1]), duration(us[2]), duration(us[3]), duration(us[4])};
    record.fault = entry.fault;
    record.reason = std::move(reason);
    record.change = entry.change;
    record.servable = signed_of(entry.servable);
    record.ceiling = signed_of(entry.ceiling);
    return record;
}

std::vector<AttemptRecord> AttemptHistory::newest_first(Kind kind) const {
    std::vector<AttemptRecord> records;
    records.reserve(std::size_t{recent_} + changes_);
    for (std::size_t at = 0; at < bytes_.size(); at += bytes_[at]) {
        const Entry entry = read(at);
        records.push_back(unpacked(entry, kind, reason_of(entry)));
    }
    std::reverse(records.begin(), records.end());
    return records;
}

}  // namespace ome::core
