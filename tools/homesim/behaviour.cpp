#include "behaviour.hpp"

#include <algorithm>

namespace ome::homesim {

std::size_t step_index(const Behaviour& behaviour, std::uint64_t attempt, core::Duration elapsed) {
    const bool timed = behaviour.hold.count() > 0;
    const std::uint64_t turn =
        timed ? static_cast<std::uint64_t>(std::max<std::int64_t>(elapsed / behaviour.hold, 0))
              : attempt;
    const std::uint64_t count = behaviour.steps.size();
    return behaviour.cycle ? turn % count : std::min(turn, count - 1);
}

bool has_body(int status) {
    return status >= 200 && status != 204 && status != 304;
}

}  // namespace ome::homesim
