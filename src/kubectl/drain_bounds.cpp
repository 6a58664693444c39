#include "drain_bounds.hpp"

#include "members.hpp"
#include <ome/routing/drains.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/json.hpp>

namespace ome::kubectl {
namespace {

constexpr std::size_t largest_object = std::size_t{1} << 20;
constexpr std::size_t largest_metadata = std::size_t{64} << 10;
constexpr std::size_t most_annotations = 256;
constexpr std::size_t most_finalizers = 64;
constexpr std::size_t most_components = 3;
constexpr std::size_t most_owners = 64;

std::size_t members_of(const json::value& service, Path path) {
    const json::object* object = object_at(service, path);
    return object != nullptr ? object->size() : 0;
}

std::size_t items_of(const json::value& service, Path path) {
    const json::array* array = array_at(service, path);
    return array != nullptr ? array->size() : 0;
}

std::size_t size_of(const json::value* value) {
    return value != nullptr ? wire::to_text(*value).size() : 0;
}

}  // namespace

bool exceeds_drain_bounds(const json::value& service) {
    return size_of(&service) > largest_object ||
           size_of(find(service, {"metadata"})) > largest_metadata ||
           members_of(service, {"metadata", "annotations"}) > most_annotations ||
           members_of(service, {"metadata", "labels"}) > most_annotations ||
           items_of(service, {"metadata", "finalizers"}) > most_finalizers ||
           items_of(service, {"status", "conditions"}) > most_finalizers ||
           members_of(service, {"status", "components"}) > most_components ||
           text_at(service, {"metadata", "annotations", routing::drain_annotation}).size() >
               longest_drain_value;
}

bool exceeds_inspection_bounds(const json::value& service) {
    return items_of(service, {"metadata", "ownerReferences"}) > most_owners;
}

bool has_room_for_annotation(const json::value& service) {
    return members_of(service, {"metadata", "annotations"}) < most_annotations;
}

}  // namespace ome::kubectl
