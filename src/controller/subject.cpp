#include "subject.hpp"

#include <ome/core/schedule.hpp>

#include <algorithm>

namespace ome::controller {

using namespace std::chrono_literals;

core::Duration backoff_after(std::uint32_t failures) {
    constexpr core::Duration first = 5ms;
    constexpr core::Duration longest = 1000s;
    constexpr std::uint32_t doublings = 18;  // 5 ms * 2^18 is above the longest
    return std::min(longest, first * (std::int64_t{1} << std::min(failures, doublings)));
}

core::SteadyTime next_slot(const core::ServiceKey& key,
                           core::Duration interval,
                           core::SteadyTime now) {
    const auto length = interval.count();
    const auto phase = static_cast<std::int64_t>(core::identity_hash({key.ns, key.name}) %
                                                 static_cast<std::uint64_t>(length));
    const auto since = now.time_since_epoch().count() - phase;
    const auto slot = since / length - (since % length < 0 ? 1 : 0) + 1;
    return core::SteadyTime(core::Duration(slot * length + phase));
}

}  // namespace ome::controller
