// What the controller tells Prometheus of itself (docs/metrics.md).
#pragma once

#include "control_api.hpp"
#include "engine.hpp"
#include <ome/core/time.hpp>

#include <string>

namespace ome::controller {

[[nodiscard]] std::string metrics_page(const Engine& engine,
                                       const ConfigurationView& configuration,
                                       const core::Now& now);
/// While there is no configuration to run with.
[[nodiscard]] std::string waiting_metrics(const ConfigurationView& configuration);

}  // namespace ome::controller
