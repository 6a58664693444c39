#include <ome/net/clock.hpp>

#include <ctime>

namespace ome::net {

core::Now read_clock() {
    using namespace std::chrono;
    const auto since_epoch = duration_cast<nanoseconds>(system_clock::now().time_since_epoch());
    return {
        .steady = time_point_cast<core::Duration>(steady_clock::now()),
        .wall = core::WallTime{} + since_epoch,
    };
}

core::SteadyTime read_sleepless_clock() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return core::SteadyTime(std::chrono::seconds(now.tv_sec) +
                            std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace ome::net
