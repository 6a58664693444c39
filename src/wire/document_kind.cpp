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

constexpr std::string_view empty_object = "an empty object";

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
    return names.empty() ? std::string(empty_object)
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
        return document.is_array() ? FoundKind{DocumentKind::List, "a list"}
                                   : FoundKind{DocumentKind::Other, "a lone value"};
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

core::Problem other_kind(const FoundKind& found, std::string_view expected) {
    return {fmt::format("this is {}, expected {}", found.words, expected)};
}

}  // namespace

std::optional<core::Problem> other_than_configuration(std::string_view text) {
    const FoundKind found = find_kind(text);
    switch (found.kind) {
        case DocumentKind::Unreadable:
        case DocumentKind::Configuration:
        case DocumentKind::Several:
            return std::nullopt;
        case DocumentKind::Unknown:
            if (found.words == empty_object) {  // a configuration with routing off
                return std::nullopt;
            }
            break;
        default:
            break;
    }
    return other_kind(found,
                      "a multicluster configuration (`routing`) or the ConfigMap that holds it");
}

std::optional<core::Problem> other_than_services(std::string_view text) {
    const FoundKind found = find_kind(text);
    switch (found.kind) {
        case DocumentKind::Configuration:
        case DocumentKind::EmptyList:
        case DocumentKind::Other:
            return other_kind(found, "declarations of services: a list, `services` or one of them");
        default:
            return std::nullopt;
    }
}

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
