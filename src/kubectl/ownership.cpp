#include "ownership.hpp"

#include "members.hpp"

#include <boost/json.hpp>

namespace ome::kubectl {
namespace {

constexpr std::size_t most_owners = 64;

bool is_service(const json::value& owner, const json::value& service) {
    return text_at(owner, {"apiVersion"}).starts_with("ome.io/") &&
           text_at(owner, {"kind"}) == "InferenceService" &&
           text_at(owner, {"name"}) == text_at(service, {"metadata", "name"}) &&
           text_at(owner, {"uid"}) == text_at(service, {"metadata", "uid"});
}

bool has_its_controller(const json::value& service, const json::value& map) {
    const json::array* owners = array_at(map, {"metadata", "ownerReferences"});
    if (owners == nullptr || owners->size() > most_owners) {
        return false;
    }
    std::size_t controllers = 0;
    bool ours = true;
    for (const json::value& owner : *owners) {
        if (flag_at(owner, {"controller"})) {
            ++controllers;
            ours = ours && is_service(owner, service);
        }
    }
    return controllers == 1 && ours;
}

}  // namespace

bool is_bound(const json::value& service, const json::value& map) {
    const std::string name = text_at(service, {"metadata", "name"});
    const bool same =
        text_at(map, {"metadata", "name"}) == name &&
        text_at(map, {"metadata", "namespace"}) == text_at(service, {"metadata", "namespace"}) &&
        text_at(map, {"spec", "service"}) == name;
    const bool sane = integer_at(map, {"metadata", "generation"}).value_or(0) >= 0 &&
                      integer_at(service, {"metadata", "generation"}).value_or(0) >= 0;
    const bool staying = find(map, {"metadata", "deletionTimestamp"}) == nullptr &&
                         find(service, {"metadata", "deletionTimestamp"}) == nullptr;
    return same && sane && staying && has_its_controller(service, map);
}

}  // namespace ome::kubectl
