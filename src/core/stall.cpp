#include <ome/core/stall.hpp>

#include <algorithm>

namespace ome::core {

Duration stall_tolerance(Duration timeout) {
    return std::max<Duration>(std::chrono::milliseconds(50), timeout / 10);
}

bool stood_still(Duration timeout, SteadyTime due, SteadyTime looked) {
    return looked - due > stall_tolerance(timeout);
}

}  // namespace ome::core
