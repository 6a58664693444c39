#include <ome/telemetry/repeat_limiter.hpp>

#include <algorithm>
#include <utility>

namespace ome::telemetry {

RepeatLimiter::RepeatLimiter(core::Duration interval, std::size_t max_keys)
    : interval_(interval), max_keys_(std::max<std::size_t>(max_keys, 1)) {}

RepeatLimiter::Verdict RepeatLimiter::admit(std::string_view key, core::SteadyTime now) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
        make_room();
        entries_.emplace(key, Entry{now});
        return {true, 0};
    }
    Entry& entry = found->second;
    if (now - entry.told < interval_) {
        ++entry.untold;
        return {};
    }
    entry.told = now;
    return {true, std::exchange(entry.untold, 0)};
}

void RepeatLimiter::forget(std::string_view key) {
    if (const auto found = entries_.find(key); found != entries_.end()) {
        entries_.erase(found);
    }
}

void RepeatLimiter::make_room() {
    if (entries_.size() < max_keys_) {
        return;
    }
    entries_.erase(
        std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
            return a.second.told < b.second.told;
        }));
}

}  // namespace ome::telemetry
