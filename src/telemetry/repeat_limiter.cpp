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
        const auto made = entries_.emplace(key, Entry{now, 0, {}}).first;
        made->second.place = by_age_.insert(by_age_.end(), made);
        return {true, 0};
    }
    Entry& entry = found->second;
    if (now - entry.told < interval_) {
        ++entry.untold;
        return {};
    }
    entry.told = now;
    by_age_.splice(by_age_.end(), by_age_, entry.place);
    return {true, std::exchange(entry.untold, 0)};
}

void RepeatLimiter::forget(std::string_view key) {
    if (const auto found = entries_.find(key); found != entries_.end()) {
        by_age_.erase(found->second.place);
        entries_.erase(found);
    }
}

void RepeatLimiter::make_room() {
    if (entries_.size() >= max_keys_) {
        entries_.erase(by_age_.front());
        by_age_.pop_front();
    }
}

}  // namespace ome::telemetry
