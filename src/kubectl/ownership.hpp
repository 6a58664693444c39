// Whether a TrafficMap is the one of this InferenceService (contract/publisher-cli.md 2.2).
#pragma once

#include <boost/json/value.hpp>

namespace ome::kubectl {

/// Same name and namespace, `spec.service`, sane generations, neither being deleted, and exactly
/// one controller reference: to this service by name and uid.
[[nodiscard]] bool is_bound(const boost::json::value& service, const boost::json::value& map);

}  // namespace ome::kubectl
