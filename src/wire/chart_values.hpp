// Values of OME's chart (contract/publisher-cli.md 3.1), of which the configuration is
// `ome.multicluster.config`.
#pragma once

#include "config_reader.hpp"

namespace ome::wire {

[[nodiscard]] bool is_chart_values(const json::value& document);

/// `config` with what the chart's values say where it says nothing.
[[nodiscard]] json::value chart_configuration(json::value written);

/// The configuration as the chart would render it: what the values leave out is the chart's
/// default. Errors are also those that keep the chart or the controller from coming that far.
[[nodiscard]] ConfigReading read_chart_values(Source source);

}  // namespace ome::wire
