// Writes of a TrafficMap's status, as server-side applies: whose fields they are, and that nobody
// else's are among them (contract/trafficmap.md 8.4, contract/publisher-cli.md 1.10).
#pragma once

#include <ome/routing/publication_status.hpp>
#include <ome/routing/traffic_map.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

inline constexpr std::string_view routing_field_manager = "ome-trafficmap-routing";
inline constexpr std::string_view publisher_field_manager = "ome-trafficmap-publisher";

/// A forced apply on the subresource `status`; the body carries the resourceVersion of the read, so
/// that a race is a conflict.
struct StatusApply {
    std::string_view field_manager;
    bool force = true;
    std::string_view subresource = "status";
    boost::json::object body;
};

/// `conditions` may be all of the map: Routable, CapacityFallback and OverrideActive are taken, in
/// this order.
[[nodiscard]] StatusApply routing_status_apply(const routing::ObjectMeta& map,
                                               std::string_view source_uid,
                                               const std::vector<routing::Condition>& conditions);

/// `published` and the observed generation are always there, also when zero.
[[nodiscard]] StatusApply publisher_status_apply(const routing::ObjectMeta& map,
                                                 const routing::PublicationStatus& status);

/// What goes before it when `published` falls, or `gatewayRef` or the journal goes: a merge patch
/// with the boolean and both conditions, so that nobody reads `published: false` beside
/// `Published=True`. An apply takes away only what nobody else has written too, be it by a patch
/// that put a journal right. Absent: nothing has to.
[[nodiscard]] std::optional<boost::json::object> publisher_status_patch(
    const routing::TrafficMap& map, const routing::PublicationStatus& status);

}  // namespace ome::wire
