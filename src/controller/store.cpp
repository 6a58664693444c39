#include "store.hpp"

#include <ome/routing/ownership.hpp>

#include <fmt/format.h>

namespace ome::controller {

std::string spoken(const MissingRight& right) {
    return fmt::format("{} {} in {}",
                       right.verb,
                       right.resource,
                       right.ns.empty() ? "all namespaces" : "namespace " + right.ns);
}
namespace {

std::vector<routing::Condition> conditions_after(const routing::TrafficMap& map,
                                                 const MapWrite& write) {
    return routing::merged_conditions(map.status.conditions,
                                      routing::routing_conditions(map.spec,
                                                                  map.meta.generation,
                                                                  write.verdict,
                                                                  *write.routed,
                                                                  map.status.conditions,
                                                                  write.now));
}

}  // namespace

void apply_write(routing::TrafficMap& map, const MapWrite& write) {
    if (write.precondition.uid.empty()) {
        map.meta.generation = 1;
        map.meta.owner_references = {routing::owner_reference(*write.service)};
        map.spec = write.spec;
    } else if (map.spec != write.spec) {
        ++map.meta.generation;
        map.spec = write.spec;
    }
    map.status.source_uid = write.service->uid;
    map.status.conditions = conditions_after(map, write);
}

bool status_differs(const routing::TrafficMap& map, const MapWrite& write) {
    return map.status.source_uid != write.service->uid ||
           map.status.conditions != conditions_after(map, write);
}

std::string file_of_place(const std::string& place) {
    const std::size_t colon = place.rfind(':');
    return place.find('/', colon == std::string::npos ? 0 : colon) == std::string::npos
               ? place.substr(0, colon)
               : place;
}

}  // namespace ome::controller
