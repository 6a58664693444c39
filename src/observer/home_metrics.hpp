// Series with a label per home, only with `--metrics-per-home`: a large fleet makes thousands of
// them.
#pragma once

#include <ome/core/reading.hpp>
#include <ome/telemetry/metrics.hpp>

namespace ome::observer {

/// Adds a service's homes: gated, ceiling (only where there is one), fallback, consecutive
/// failures. A home that is gone is simply not added again, so no series outlives it.
void add_home_metrics(telemetry::MetricsPage& page, const core::ServiceReading& service);

}  // namespace ome::observer
