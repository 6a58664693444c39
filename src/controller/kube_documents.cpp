#include "kube_documents.hpp"

#include <ome/routing/drain_expiry.hpp>
#include <ome/routing/ownership.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>

#include <string_view>

namespace ome::controller {
namespace {

namespace json = boost::json;

json::object document_of(const routing::TrafficMap& map) {
    std::string text;
    wire::append_traffic_map_json(text, map);
    return json::parse(text).as_object();
}

}  // namespace

std::string map_to_create(const MapWrite& write) {
    routing::TrafficMap map;
    map.meta.key = write.key;
    map.meta.owner_references = {routing::owner_reference(*write.service)};
    map.spec = write.spec;
    return json::serialize(document_of(map));
}

// A merge patch leaves alone what it does not name: what the spec does not have is named as null.
std::string spec_patch(const MapWrite& write) {
    routing::TrafficMap map;
    map.meta.key = write.key;
    map.spec = write.spec;
    json::object spec = document_of(map)["spec"].as_object();
    for (const char* member :
         {"service", "mode", "observedISVCGeneration", "placementPlanID", "entries"}) {
        spec.emplace(member, nullptr);
    }
    return json::serialize(
        json::object{{"metadata",
                      {{"uid", write.precondition.uid},
                       {"resourceVersion", write.precondition.resource_version}}},
                     {"spec", std::move(spec)}});
}

routing::TrafficMap with_status(const routing::TrafficMap& stored, const MapWrite& write) {
    routing::TrafficMap map = stored;
    MapWrite as_stored = write;
    as_stored.spec = stored.spec;
    as_stored.precondition = {stored.meta.uid, stored.meta.resource_version};
    apply_write(map, as_stored);
    return map;
}

std::string lapse_patch(const DrainLapse& lapse) {
    json::array operations{
        json::object{{"op", "test"}, {"path", "/metadata/uid"}, {"value", lapse.service->uid}}};
    const auto change = [&operations](std::string_view name,
                                      const std::optional<std::string>& before,
                                      const std::optional<std::string>& after) {
        std::string path = "/metadata/annotations/" + std::string(name);
        path.replace(path.rfind('/'), 1, "~1");
        if (before) {
            operations.push_back(json::object{{"op", "test"}, {"path", path}, {"value", *before}});
        }
        if (before && !after) {
            operations.push_back(json::object{{"op", "remove"}, {"path", path}});
        } else if (after != before) {
            operations.push_back(json::object{{"op", "add"}, {"path", path}, {"value", *after}});
        }
    };
    change(routing::drain_annotation, lapse.service->drains, lapse.drains);
    change(routing::drain_expiry_annotation, lapse.service->drain_expiries, lapse.expiries);
    return json::serialize(operations);
}

}  // namespace ome::controller
