// Latencies as documents: `"20ms"`, a range, or a curve.
#pragma once

#include "json_fields.hpp"
#include "latency.hpp"

namespace ome::homesim {

[[nodiscard]] Failure read_latency(const boost::json::value& value,
                                   const std::string& field,
                                   Latency& out);
[[nodiscard]] boost::json::value to_json(const Latency& latency);

}  // namespace ome::homesim
