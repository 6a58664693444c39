// What objects of several kinds have in common, as an API server stores it.
#pragma once

#include "member_reader.hpp"
#include <ome/routing/traffic_map.hpp>

#include <optional>
#include <string_view>

namespace ome::wire {

/// A stamp without its fraction.
[[nodiscard]] std::optional<core::WallTime> read_seconds(Members& members, std::string_view name);

[[nodiscard]] routing::ObjectMeta read_object_meta(Members members);
[[nodiscard]] routing::Condition read_condition(Members members);

}  // namespace ome::wire
