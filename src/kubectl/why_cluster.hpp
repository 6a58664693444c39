// Why one cluster of a service has the weight it has, in words.
#pragma once

#include "why_facts.hpp"
#include "why_report.hpp"

#include <cstdint>
#include <string>

namespace ome::kubectl {

/// Of an entry of the map; `sum`: of the weights of all entries.
[[nodiscard]] ClusterReason reason_of(const WhyFacts& facts,
                                      const routing::Entry& entry,
                                      std::int64_t sum);

/// Of a cluster that the map does not have.
[[nodiscard]] ClusterReason reason_without_entry(const WhyFacts& facts, const std::string& cluster);

}  // namespace ome::kubectl
