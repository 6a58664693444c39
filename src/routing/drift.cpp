#include <ome/core/deadline.hpp>
#include <ome/routing/drift.hpp>

#include <algorithm>

namespace ome::routing {
namespace {

using namespace std::chrono_literals;

constexpr core::Duration first_pause = 1s;
constexpr core::Duration longest_pause = 5min;
constexpr core::Duration peace = 10min;
constexpr std::uint32_t doublings = 9;  // 1 s * 2^9 is above the longest

}  // namespace

bool DriftGuard::is_over(const Repairs& repairs, core::SteadyTime now) {
    return now - repairs.last >= peace;
}

core::SteadyTime DriftGuard::repair_at(const ObjectKey& key, core::SteadyTime now) const {
    const auto found = repairs_.find(key);
    if (found == repairs_.end() || is_over(found->second, now) ||
        found->second.count < repairs_at_once) {
        return now;
    }
    const std::uint32_t further = std::min(found->second.count - repairs_at_once, doublings);
    return core::later(found->second.last,
                       std::min(longest_pause, first_pause * (std::int64_t{1} << further)));
}

std::uint32_t DriftGuard::repaired(const ObjectKey& key, core::SteadyTime now) {
    Repairs& repairs = repairs_[key];
    if (is_over(repairs, now)) {
        repairs.count = 0;
    }
    repairs.last = now;
    return ++repairs.count;
}

}  // namespace ome::routing
