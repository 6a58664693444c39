// A TrafficMap as the object that an API server stores (contract/trafficmap.md 2.1 and 12).
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/routing/traffic_map.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// Appends the object, compact, names in byte order as kubectl prints them, no line end. Texts are
/// UTF-8. Times are cut to whole seconds; years 0 to 9999.
void append_traffic_map_json(std::string& out, const routing::TrafficMap& map);

/// Appends the same object as YAML in block style, with a line end. Texts that another reader could
/// take for something else (numbers, `yes`, dates) are in quotes.
void append_traffic_map_yaml(std::string& out, const routing::TrafficMap& map);

/// The same with members that another version knows (TrafficMapDocument::unknown).
void append_traffic_map_yaml(std::string& out,
                             const routing::TrafficMap& map,
                             const boost::json::object& unknown);

/// The object, or a `List` when there is not exactly one; with a line end.
[[nodiscard]] std::string traffic_maps_json(std::span<const routing::TrafficMap> maps);
[[nodiscard]] std::string traffic_maps_yaml(std::span<const routing::TrafficMap> maps);

struct TrafficMapDocument {
    std::size_t index = 0;                ///< in the text, from 0; items of lists count one by one
    std::size_t line = 0;                 ///< where it begins, from 1; zero when unknown
    std::optional<core::ServiceKey> key;  ///< absent when it cannot be read
    core::Result<routing::TrafficMap> map;  ///< messages as those of an InferenceService

    /// Members of the object that are not known, and those of its `spec` and `status` below these
    /// names: another version's, which must not get lost when the object is written again.
    boost::json::object unknown;
};

/// JSON or YAML, one object, several YAML documents, or a `List` or `TrafficMapList` of them; other
/// kinds are left out. What the writers above made reads back the same. Absent members are
/// zero.
[[nodiscard]] core::Result<std::vector<TrafficMapDocument>> read_traffic_maps(
    std::string_view text);

/// One object, already parsed. `kind` is not looked at.
[[nodiscard]] core::Result<routing::TrafficMap> read_traffic_map(const boost::json::value& object);

}  // namespace ome::wire
