#include "chart_values.hpp"
#include "config_reader.hpp"
#include "source.hpp"
#include <ome/core/text.hpp>
#include <ome/wire/document_kind.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ome::wire {
namespace {

// What a file brings along may be long, or no word at all.
constexpr std::size_t longest_kind = 64;

std::string with_article(std::string_view kind) {
    const bool vowel = !kind.empty() && std::string_view("AEIOU").find(kind.front()) != kind.npos;
    return fmt::format("{} {}", vowel ? "an" : "a", kind);
}

std::string kind_of(const json::object& object) {
    const json::value* kind = object.if_contains("kind");
    return kind != nullptr && kind->is_string()
               ? core::sanitize_detail(std::string_view(kind->get_string()), longest_kind)
               : std::string();
}

FoundKind kind_of_list(const json::array& items) {
    if (items.empty()) {
        return {DocumentKind::EmptyList, "an empty List"};
    }
    const json::object* first = items.front().if_object();
    const std::string kind = first != nullptr ? kind_of(*first) : std::string();
    return {DocumentKind::Other, kind.empty() ? "a List" : fmt::format("a List of {}", kind)};
}

std::string members_of(const json::object& object) {
    constexpr std::size_t most_names = 5;
    std::vector<std::string> names;
    for (const auto& member : object) {
        if (names.size() == most_names) {
            names.emplace_back("...");
            break;
        }
        names.push_back(core::sanitize_detail(std::string_view(member.key()), longest_kind));
    }
    return names.empty() ? "an empty object"
                         : fmt::format("an object with {}", fmt::join(names, ", "));
}

FoundKind kind_of_untyped(const json::value& document, const json::object& object) {
    if (is_configuration(document)) {
        return {DocumentKind::Configuration, "a multicluster configuration"};
    }
    if (is_chart_values(document)) {
        return {DocumentKind::Other, "values of the chart"};
    }
    if (object.contains("services")) {
        return {DocumentKind::Readings, "a list of services (`services`)"};
    }
    if (object.contains("homes")) {
        return {DocumentKind::Readings, "a reading or a declaration (`homes`)"};
    }
    return {DocumentKind::Unknown, members_of(object)};
}

FoundKind kind_of_document(const json::value& document) {
    const json::object* object = document.if_object();
    if (object == nullptr) {
        return {DocumentKind::Other, document.is_array() ? "a list" : "a lone value"};
    }
    const std::string kind = kind_of(*object);
    if (kind.empty()) {
        return kind_of_untyped(document, *object);
    }
    const json::value* items = object->if_contains("items");
    if (kind.ends_with("List") && items != nullptr && items->is_array()) {
        return kind_of_list(items->get_array());
    }
    return {is_config_map(document) ? DocumentKind::Configuration : DocumentKind::Other,
            with_article(kind)};
}

}  // namespace

FoundKind find_kind(std::string_view text) {
    const core::Result<std::vector<Source>> sources = parse_sources(text, Locate::No);
    if (!sources) {
        return {};
    }
    if (sources->empty()) {
        return {DocumentKind::Nothing, "an empty file"};
    }
    constexpr std::size_t most_kinds = 5;
    FoundKind found = kind_of_document(sources->front().value);
    std::vector<std::string> words{found.words};
    for (const Source& source : *sources) {
        FoundKind next = kind_of_document(source.value);
        const bool known = std::find(words.begin(), words.end(), next.words) != words.end();
        if (!known && words.size() < most_kinds) {
            words.push_back(std::move(next.words));
            found.kind = DocumentKind::Several;
        }
    }
    found.words = fmt::format("{}", fmt::join(words, " and "));
    return found;
}

}  // namespace ome::wire
