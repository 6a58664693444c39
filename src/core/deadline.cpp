#include <ome/core/deadline.hpp>

namespace ome::core {

SteadyTime later(SteadyTime at, Duration by) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(at.time_since_epoch().count(), by.count(), &sum)) {
        return by < Duration::zero() ? SteadyTime::min() : SteadyTime::max();
    }
    return SteadyTime(Duration(sum));
}

SteadyTime next_on_grid(SteadyTime at, Duration grid) {
    const Duration past = at.time_since_epoch() % grid;
    return past == Duration::zero() ? at : later(at - past, grid);
}

}  // namespace ome::core
