// What one reactor counts: plain numbers, touched only on its thread and copied out as a whole.
#pragma once

#include <ome/core/fleet.hpp>
#include <ome/net/client.hpp>
#include <ome/telemetry/duration_histogram.hpp>
#include <ome/telemetry/metrics.hpp>

#include <array>
#include <cstdint>

namespace ome::observer {

/// One latency in seconds, in Prometheus' buckets.
struct Latency : telemetry::Histogram {
    Latency() : telemetry::Histogram(telemetry::latency_bounds()) {}
};

/// Where the time of one kind of attempt goes.
struct KindStats {
    Latency dns;
    Latency connect;
    Latency tls;
    Latency first_byte;
    Latency total;
};

struct ShardStats {
    std::array<KindStats, 2> kinds;                ///< the index is core::Kind
    Latency slot_wait;                             ///< from due to start, first attempts included
    Latency lateness;                              ///< from due to start, first attempts left out
    telemetry::DurationHistogram recent_lateness;  ///< of the last 10 to 20 seconds
    telemetry::DurationHistogram recent_wait;      ///< the same, first attempts included
    double attempts_per_second = 0;                ///< over the same time

    core::FleetCounts fleet;
    core::FleetExtremes extremes;
    net::ClientStats client;
    std::int64_t allowance = 0;
    std::int64_t in_use = 0;
    std::int64_t most_in_use = 0;
    double needed = 0;  ///< slots this reactor's homes need on average (core/advice.hpp)
    std::uint64_t reading_changes = 0;
};

}  // namespace ome::observer
