#include "counters.hpp"

#include <algorithm>

namespace ome::homesim {

void RequestCounters::begin(bool fresh) {
    ++requests;
    fresh_connections += fresh ? 1 : 0;
    in_flight.up();
}

void RequestCounters::answer() {
    ++answered;
    in_flight.down();
}

void RequestCounters::cut() {
    ++cut_by_us;
    in_flight.down();
}

void RequestCounters::leave(Left how) {
    ++(how == Left::Reset ? left_reset : left_closed);
    in_flight.down();
}

void RequestCounters::reset() {
    const Level still = in_flight;
    *this = RequestCounters();
    in_flight = still;
    in_flight.forget_high();
}

void Gaps::mark(core::SteadyTime at) {
    if (last_) {
        ring_[marked_ % kept] = at - *last_;
        ++marked_;
    }
    last_ = at;
}

std::optional<Gaps::Summary> Gaps::summary() const {
    const std::size_t count = std::min(marked_, kept);
    if (count == 0) {
        return std::nullopt;
    }
    std::array<core::Duration, kept> sorted = ring_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(sorted.begin(), end);
    return Summary{count, sorted.front(), sorted[count / 2], *(end - 1)};
}

}  // namespace ome::homesim
