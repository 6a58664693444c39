#include "settings_reader.hpp"
#include <ome/wire/service_routing_document.hpp>

#include <boost/json.hpp>

namespace ome::wire {

core::Result<ServiceRoutingDocument> read_service_routing(std::string_view text) {
    core::Result<Source> source = parse_json_source(text, Locate::No);
    if (!source) {
        return source.error();
    }
    const json::object* object = source->value.if_object();
    if (object == nullptr) {
        return core::Problem{"spec.routing: " + shown(source->value) + " must be an object",
                             "spec.routing"};
    }
    Notes notes;
    notes.errors = std::move(source->duplicates);
    core::ServiceRoutingSettings routing = service_routing_of({*object, "spec.routing", notes});
    if (!notes.errors.empty()) {
        return notes.errors.front();
    }
    return ServiceRoutingDocument{std::move(routing), std::move(notes.warnings)};
}

}  // namespace ome::wire
