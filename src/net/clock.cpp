#include <ome/net/clock.hpp>

namespace ome::net {

core::Now read_clock() {
    using namespace std::chrono;
    const auto since_epoch = duration_cast<nanoseconds>(system_clock::now().time_since_epoch());
    return {
        .steady = time_point_cast<core::Duration>(steady_clock::now()),
        .wall = core::WallTime{} + since_epoch,
    };
}

}  // namespace ome::net
