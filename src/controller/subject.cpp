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
    const auto phase = static_cast<std::int64_t>(core::identity_hash({key.ns, key.name}) %
                                                 static_cast<std::uint64_t>(interval.count()));
    const core::Duration past = (now.time_since_epoch() - core::Duration(phase)) % interval;
    return past < core::Duration::zero() ? now - past : core::later(now - past, interval);
}

}  // namespace ome::controller
