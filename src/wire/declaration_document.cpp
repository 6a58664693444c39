#include "declaration_reader.hpp"
#include <ome/core/dns_name.hpp>
#include <ome/core/text.hpp>
#include <ome/wire/declaration_document.hpp>

#include <fmt/format.h>

namespace ome::wire {
namespace {

DeclarationDocument read(std::string_view text, const DeclarationRules& rules) {
    core::Result<Source> source = parse_json_source(text, Locate::No);
    if (!source) {
        return {false, std::nullopt, core::Problem{"not JSON: " + source.error().message}, {}};
    }
    DeclarationReading reading = read_declaration_value(source->value, rules);
    std::vector<core::Problem>& errors = reading.notes.errors;
    errors.insert(errors.begin(), source->duplicates.begin(), source->duplicates.end());
    DeclarationDocument document{true, reading.key, std::move(reading.declaration), {}};
    document.warnings = std::move(reading.notes.warnings);
    if (!errors.empty()) {
        document.declaration = as_one(errors);
    }
    return document;
}

}  // namespace

std::optional<core::Problem> invalid_key(const core::ServiceKey& key) {
    if (!core::is_dns_label(key.ns)) {
        return core::Problem{
            fmt::format("namespace {} {}", core::go_quote(key.ns), core::dns_label_rule),
            "namespace"};
    }
    if (!core::is_dns_subdomain(key.name)) {
        return core::Problem{
            fmt::format("name {} {}", core::go_quote(key.name), core::dns_subdomain_rule), "name"};
    }
    return std::nullopt;
}

DeclarationDocument read_declaration(std::string_view text,
                                     const core::ServiceKey& key,
                                     const core::ObserverLimits& limits) {
    return read(text, {limits, Naming::Url, key});
}

DeclarationDocument read_declaration_line(std::string_view text,
                                          const core::ObserverLimits& limits) {
    return read(text, {limits, Naming::Body});
}

}  // namespace ome::wire
