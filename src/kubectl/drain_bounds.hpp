// How large a service may be for a guarded action on it (contract/publisher-cli.md 2.3, step 2).
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>

namespace ome::kubectl {

inline constexpr std::size_t most_service_drains = 64;
inline constexpr std::size_t longest_drain_value = std::size_t{32} << 10;

/// Object, metadata, annotations, labels, finalizers, conditions, components.
[[nodiscard]] bool exceeds_drain_bounds(const boost::json::value& service);

/// Bounds that have a text of their own.
[[nodiscard]] bool exceeds_inspection_bounds(const boost::json::value& service);

/// Room for one more annotation.
[[nodiscard]] bool has_room_for_annotation(const boost::json::value& service);

}  // namespace ome::kubectl
