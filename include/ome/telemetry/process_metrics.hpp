// What the kernel says of this process, from /proc; the names are those that Prometheus' own client
// libraries use.
#pragma once

#include <ome/telemetry/metrics.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace ome::telemetry {

struct ProcessStat {
    double cpu_seconds = 0;
    double start_seconds_after_boot = 0;
    std::uint64_t virtual_bytes = 0;
    std::uint64_t resident_bytes = 0;
    std::uint64_t threads = 0;
};

/// `/proc/self/stat`; absent when the text is none. The command's name may hold blanks and
/// brackets.
[[nodiscard]] std::optional<ProcessStat> parse_process_stat(std::string_view text,
                                                            long ticks_per_second,
                                                            long page_bytes);

/// Reads /proc; what cannot be read is left out.
void add_process_metrics(MetricsPage& page);

}  // namespace ome::telemetry
