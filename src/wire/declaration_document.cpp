#include "declaration_reader.hpp"
#include <ome/core/text.hpp>
#include <ome/wire/declaration_document.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

constexpr std::size_t longest_label = 63;
constexpr std::size_t longest_subdomain = 253;

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_label_shaped(std::string_view text) {
    return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
           std::all_of(
               text.begin(), text.end(), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_label(std::string_view text) {
    return text.size() <= longest_label && is_label_shaped(text);
}

bool is_subdomain(std::string_view text) {
    if (text.size() > longest_subdomain) {
        return false;
    }
    for (std::size_t dot = text.find('.'); dot != text.npos; dot = text.find('.')) {
        if (!is_label_shaped(text.substr(0, dot))) {
            return false;
        }
        text.remove_prefix(dot + 1);
    }
    return is_label_shaped(text);
}

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
    if (!is_label(key.ns)) {
        return core::Problem{
            fmt::format("namespace {} must be a DNS-1123 label: at most 63 of a-z, "
                        "0-9 and -, with a letter or digit at both ends",
                        core::go_quote(key.ns)),
            "namespace"};
    }
    if (!is_subdomain(key.name)) {
        return core::Problem{
            fmt::format("name {} must be a DNS-1123 subdomain: at most 253 of a-z, 0-9, - and ., "
                        "each part with a letter or digit at both ends",
                        core::go_quote(key.name)),
            "name"};
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
