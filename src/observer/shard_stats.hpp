// What one reactor counts: plain numbers, touched only on its thread and copied out as a whole.
#pragma once

#include <ome/core/fleet.hpp>
#include <ome/telemetry/histogram.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace ome::observer {

/// By kind; the index is core::Kind.
struct KindStats {
    telemetry::Histogram dns;
    telemetry::Histogram connect;
    telemetry::Histogram tls;
    telemetry::Histogram first_byte;
    telemetry::Histogram total;
};

struct ShardStats {
    std::array<KindStats, 2> kinds;
    telemetry::Histogram slot_wait;  ///< from due to start, first attempts included
    telemetry::Histogram lateness;   ///< from due to start, first attempts left out
    telemetry::Histogram recent_lateness;  ///< the last 10 to 20 seconds
    double attempts_per_second = 0;        ///< over the same time, first attempts included

    core::FleetCounts fleet;
    std::int64_t allowance = 0;
    std::int64_t in_use = 0;
    std::int64_t most_in_use = 0;
    double needed = 0;  ///< slots this reactor's homes need on average (core/advice.hpp)
    std::uint64_t reading_changes = 0;
};

}  // namespace ome::observer
