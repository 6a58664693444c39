// Time that moves only when a test says so. Both clocks start away from zero, so that code which
// takes a default time for "never" is caught.
#pragma once

#include <ome/core/time.hpp>

namespace ome::test {

class FakeClock {
public:
    [[nodiscard]] core::Now now() const { return {steady_, wall_}; }
    [[nodiscard]] core::WallTime wall() const { return wall_; }
    [[nodiscard]] core::SteadyTime steady() const { return steady_; }

    void advance(core::Duration by) {
        steady_ += by;
        wall_ = wall_ + by;
    }

    /// Somebody sets the wall clock.
    void step_wall(core::Duration by) { wall_ = wall_ + by; }

private:
    core::SteadyTime steady_{std::chrono::hours(1)};
    core::WallTime wall_{1'790'000'000, 0};
};

}  // namespace ome::test
