#include "services_reader.hpp"
#include <ome/wire/services_document.hpp>

#include <fmt/format.h>

namespace ome::wire {
namespace {

core::Problem numbered(std::size_t index,
                       std::size_t line,
                       const std::vector<core::Problem>& errors) {
    const std::string where = line == 0 ? fmt::format("services[{}]", index)
                                        : fmt::format("services[{}] (line {})", index, line);
    std::string messages;  // each with its place: there may be many services
    for (const core::Problem& error : errors) {
        messages += fmt::format("{}{}: {}", messages.empty() ? "" : "\n", where, error.message);
    }
    return {std::move(messages), errors.front().field};
}

DeclaredService declared(std::size_t index, ServiceReading service) {
    DeclaredService one{index, service.line, std::move(service.reading.declaration), {}};
    one.warnings = std::move(service.reading.notes.warnings);
    if (!service.reading.notes.errors.empty()) {
        one.declaration = numbered(index, service.line, service.reading.notes.errors);
    }
    return one;
}

std::optional<core::Problem> second_list(const Source& source) {
    for (const core::Problem& duplicate : source.duplicates) {
        if (duplicate.field == "services") {
            return duplicate;
        }
    }
    return std::nullopt;
}

}  // namespace

core::Result<std::vector<DeclaredService>> read_services(std::string_view text,
                                                         const core::ObserverLimits& limits) {
    const core::Result<std::vector<Source>> sources = parse_sources(text);
    if (!sources) {
        return sources.error();
    }
    ServicesReader reader(limits);
    std::vector<DeclaredService> services;
    for (const Source& source : *sources) {
        if (std::optional<core::Problem> problem = second_list(source)) {
            return *problem;
        }
        for (ServiceReading& service : reader.read(source)) {
            services.push_back(declared(services.size(), std::move(service)));
        }
    }
    return services;
}

}  // namespace ome::wire
