#include "config_reader.hpp"
#include "problem_merge.hpp"
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

// Whoever mends one mistake after the other would have to start once for each.
core::Problem all_of(ConfigReading reading, const FurtherProblems& further) {
    std::vector<core::Problem>& errors = reading.notes.errors;
    if (further) {
        append_new(errors, further(reading.routing), Told::WholesToo);
    }
    for (core::Problem& warning : reading.notes.warnings) {
        errors.push_back({"warning: " + warning.message, warning.field});
    }
    errors.front() = load_problem(errors.front());
    return as_one(errors);
}

core::Result<ConfigDocument> document_or_errors(ConfigReading reading,
                                                const FurtherProblems& further) {
    if (!reading.notes.errors.empty()) {
        return all_of(std::move(reading), further);
    }
    std::string off = routing_off(reading).why;
    return ConfigDocument{std::move(reading.routing),
                          std::move(reading.gateway),
                          std::move(reading.notes.warnings),
                          std::move(off),
                          std::move(reading.nulls)};
}

}  // namespace

core::Result<ConfigDocument> read_config(std::string_view text, const FurtherProblems& further) {
    core::Result<std::vector<Source>> sources = parse_sources(text);
    if (!sources) {
        return load_problem(sources.error());
    }
    if (sources->size() != 1) {
        return load_problem(
            {fmt::format("the file holds {} documents, it must hold 1", sources->size())});
    }
    Source& source = sources->front();
    return document_or_errors(is_config_map(source.value) ? read_config_map(source)
                                                          : read_configuration(std::move(source)),
                              further);
}

core::Result<ConfigDocument> read_config_value(std::string_view text) {
    core::Result<Source> source = parse_json_source(text, Locate::No);
    if (!source) {
        return load_problem(source.error());
    }
    return document_or_errors(read_configuration(std::move(*source)), {});
}

}  // namespace ome::wire
