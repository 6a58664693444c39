#include "config_reader.hpp"
#include <ome/wire/config_document.hpp>

#include <fmt/format.h>

namespace ome::wire {
namespace {

// The space at the end is part of the text.
core::Problem load_problem(const core::Problem& cause) {
    // Lines of a value inside the document are counted from where the value begins.
    const bool inside = !cause.field.empty() && cause.message.starts_with("line ");
    return {
        fmt::format("load multi-cluster configuration: unable to parse multicluster config json: "
                    "unable to unmarshall multicluster json string due to {} ",
                    inside ? fmt::format("{}: {}", cause.field, cause.message) : cause.message),
        cause.field};
}

core::Result<ConfigDocument> first_error_or(ConfigReading reading) {
    if (!reading.notes.errors.empty()) {
        return load_problem(reading.notes.errors.front());
    }
    return ConfigDocument{
        std::move(reading.routing), std::move(reading.gateway), std::move(reading.notes.warnings)};
}

}  // namespace

core::Result<ConfigDocument> read_config(std::string_view text) {
    core::Result<std::vector<Source>> sources = parse_sources(text);
    if (!sources) {
        return load_problem(sources.error());
    }
    if (sources->size() != 1) {
        return load_problem(
            {fmt::format("the file holds {} documents, it must hold 1", sources->size())});
    }
    Source& source = sources->front();
    return first_error_or(is_config_map(source.value) ? read_config_map(source)
                                                      : read_configuration(std::move(source)));
}

core::Result<ConfigDocument> read_config_value(std::string_view text) {
    core::Result<Source> source = parse_json_source(text, Locate::No);
    if (!source) {
        return load_problem(source.error());
    }
    return first_error_or(read_configuration(std::move(*source)));
}

}  // namespace ome::wire
