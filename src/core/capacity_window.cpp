#include <ome/core/capacity_window.hpp>
#include <ome/core/duration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>

namespace ome::core {
namespace {

/// A list that needs no allocation for a window of usual size.
template <typename T>
class Scratch {
public:
    explicit Scratch(std::size_t capacity) { values_.reserve(capacity); }

    void add(T value) { values_.push_back(value); }
    [[nodiscard]] std::size_t size() const { return values_.size(); }

    [[nodiscard]] T nth_smallest(std::size_t index) {
        const auto at = values_.begin() + static_cast<std::ptrdiff_t>(index);
        std::nth_element(values_.begin(), at, values_.end());
        return *at;
    }

private:
    std::array<std::byte, 1024> buffer_;
    std::pmr::monotonic_buffer_resource memory_{buffer_.data(), buffer_.size()};
    std::pmr::vector<T> values_{&memory_};
};

std::string stale_reason(Duration max_age) {
    return fmt::format("capacity report is stale (at least configured maximum age {})",
                       format_duration(max_age));
}

}  // namespace

WindowRules window_rules(const CapacityPolicy& policy) {
    return {policy.samples, policy.quorum, policy.max_age};
}

CapacityWindow::CapacityWindow(WindowRules rules)
    : rules_(rules), reason_("no capacity report yet") {}

bool CapacityWindow::accept(const CapacityReport& report, WallTime now) {
    // The clock may have moved since the report was judged.
    if (report.observed_at + rules_.max_age <= now) {
        return fail(stale_reason(rules_.max_age));
    }
    drop_expired(now);
    if (held_.size() >= static_cast<std::size_t>(rules_.samples)) {
        held_.erase(held_.begin());
    }
    held_.push_back({report.observed_at.seconds, report.observed_at.nanoseconds, report.servable});
    return settle("capacity report awaiting quorum");
}

bool CapacityWindow::fail(std::string_view reason) {
    held_.clear();
    return become(std::nullopt, reason.empty() ? "capacity report unavailable" : reason);
}

bool CapacityWindow::expire(WallTime now) {
    if (!drop_expired(now)) {
        return false;
    }
    if (held_.empty()) {
        return become(std::nullopt, stale_reason(rules_.max_age));
    }
    return settle("capacity report awaiting quorum after stale samples expired");
}

WallTime CapacityWindow::expiry(const Held& held) const {
    return WallTime{held.seconds, held.nanoseconds} + rules_.max_age;
}

// Each sample on its own: stamps need not come in order.
bool CapacityWindow::drop_expired(WallTime now) {
    return std::erase_if(held_, [&](const Held& held) { return expiry(held) <= now; }) > 0;
}

bool CapacityWindow::settle(std::string_view reason_below_quorum) {
    const auto quorum = static_cast<std::size_t>(rules_.quorum);
    if (held_.size() < quorum) {
        return become(
            std::nullopt,
            fmt::format("{} ({}/{} accepted samples)", reason_below_quorum, held_.size(), quorum));
    }
    Scratch<std::int32_t> counts(held_.size());
    for (const Held& held : held_) {
        counts.add(held.servable);
    }
    return become(counts.nth_smallest(quorum - 1), "");
}

bool CapacityWindow::become(std::optional<std::int32_t> ceiling, std::string_view reason) {
    const bool changed = ceiling != ceiling_ || reason != reason_;
    ceiling_ = ceiling;
    reason_.assign(reason);
    return changed;
}

// Losing samples above the ceiling never moves it, and it holds while `quorum` samples at or below
// it are left: so it moves when all but quorum - 1 of those have expired.
std::optional<WallTime> CapacityWindow::valid_until() const {
    if (!ceiling_) {
        return std::nullopt;
    }
    Scratch<WallTime> expiries(held_.size());
    for (const Held& held : held_) {
        if (held.servable <= *ceiling_) {
            expiries.add(expiry(held));
        }
    }
    return expiries.nth_smallest(expiries.size() - static_cast<std::size_t>(rules_.quorum));
}

// Without a ceiling the reason counts the samples, so each one that goes is a change.
std::optional<WallTime> CapacityWindow::next_change() const {
    if (ceiling_ || held_.empty()) {
        return valid_until();
    }
    WallTime earliest = expiry(held_.front());
    for (const Held& held : held_) {
        earliest = std::min(earliest, expiry(held));
    }
    return earliest;
}

std::vector<Sample> CapacityWindow::samples() const {
    std::vector<Sample> found;
    found.reserve(held_.size());
    for (const Held& held : held_) {
        found.push_back({held.servable, {held.seconds, held.nanoseconds}, expiry(held)});
    }
    return found;
}

void show(const CapacityWindow& window, CapacityReading& reading) {
    reading.ceiling = window.ceiling();
    reading.fallback_reason = window.reason();
    reading.valid_until = window.valid_until();
    reading.samples = window.samples();
}

}  // namespace ome::core
