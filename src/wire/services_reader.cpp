#include "services_reader.hpp"

#include <ome/core/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ome::wire {
namespace {

// Taken all the same; but whoever forgot it looks for the readings under another name.
void warn_of_missing_name(const json::value& value, DeclarationReading& reading) {
    const json::object* object = value.if_object();
    if (object != nullptr && !object->contains("name") && reading.key) {
        reading.notes.warnings.push_back(
            {fmt::format("name is absent: the service is observed as {}/{}",
                         reading.key->ns,
                         reading.key->name),
             "name"});
    }
}

}  // namespace

std::vector<ServiceReading> ServicesReader::read(const Source& source) {
    if (const json::array* items = source.value.if_array()) {
        return read_list(source, *items, "");
    }
    const json::object* object = source.value.if_object();
    const json::value* services = object ? object->if_contains("services") : nullptr;
    if (services != nullptr && services->is_array()) {
        return read_list(source, services->get_array(), "services");
    }
    std::vector<ServiceReading> one;
    one.push_back(
        read_one(source, services ? *services : source.value, services ? "services" : ""));
    return one;
}

std::vector<ServiceReading> ServicesReader::read_list(const Source& source,
                                                      const json::array& items,
                                                      const std::string& path) {
    std::vector<ServiceReading> services;
    for (const json::value& item : items) {
        services.push_back(read_one(source, item, item_path(path, services.size())));
    }
    return services;
}

ServiceReading ServicesReader::read_one(const Source& source,
                                        const json::value& value,
                                        std::string path) {
    ServiceReading service{std::move(path), 0, {}};
    service.line = source.lines.of(service.path);
    service.reading = read_declaration_value(value, {limits_, Naming::Defaults});
    std::vector<core::Problem>& errors = service.reading.notes.errors;
    if (!service.path.empty()) {  // one declaration alone has its name from the API's URL
        warn_of_missing_name(value, service.reading);
    }
    for (std::vector<core::Problem>* problems : {&errors, &service.reading.notes.warnings}) {
        for (core::Problem& problem : *problems) {
            problem.field = joined_path(service.path, problem.field);
        }
    }
    for (const core::Problem& duplicate : source.duplicates) {
        if (lies_within(duplicate.field, service.path)) {
            errors.push_back(duplicate);
        }
    }
    refuse_second(service);
    ++index_;
    return service;
}

void ServicesReader::refuse_second(ServiceReading& service) {
    const std::optional<core::ServiceKey>& key = service.reading.key;
    if (!key) {
        return;
    }
    const auto [first, is_new] = first_index_.emplace(*key, index_);
    if (!is_new) {
        service.reading.notes.errors.push_back(
            {fmt::format("service {} is declared twice (first as number {} of the file)",
                         core::go_quote(key->ns + "/" + key->name),
                         first->second + 1),
             joined_path(service.path, "name")});
    }
}

}  // namespace ome::wire
