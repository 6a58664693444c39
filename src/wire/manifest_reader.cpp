#include "manifest_reader.hpp"

#include <ome/core/text.hpp>
#include <ome/routing/traffic_map.hpp>
#include <ome/wire/declaration_document.hpp>
#include <ome/wire/inference_service_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <simdjson.h>

namespace ome::wire {
namespace {

// A path and a line for every part of a text cost many times its size.
constexpr std::size_t largest_located = std::size_t{8} << 20;

std::string_view text_of(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                  : std::string_view();
}

const json::array* items_of(const json::value& value, std::string_view kind) {
    const json::object* object = value.if_object();
    const json::value* items = object ? object->if_contains("items") : nullptr;
    const std::string_view found = object ? text_of(*object, "kind") : std::string_view();
    const bool list = found == "List" || (found.ends_with("List") && found.starts_with(kind) &&
                                          found.size() == kind.size() + 4);
    return list && items != nullptr ? items->if_array() : nullptr;
}

std::optional<core::Problem> too_large(std::string_view text, const std::vector<Source>& sources) {
    const bool lone_json = sources.size() == 1 && !sources.front().yaml &&
                           sources.front().value.is_object() &&
                           !sources.front().value.get_object().contains("items");
    if (lone_json && text.size() > largest_manifest) {
        return core::Problem{fmt::format(
            "the object has {} bytes, it may have {} (1 MiB)", text.size(), largest_manifest)};
    }
    return std::nullopt;
}

// Members of a list itself, whose items nobody could name then; and so many in all that finding the
// items that they belong to would take long.
std::optional<core::Problem> misleading(const Source& source) {
    constexpr std::size_t most_duplicates = 1000;
    const json::object* object = source.value.if_object();
    const bool list = object != nullptr && object->contains("items");
    for (const core::Problem& duplicate : source.duplicates) {
        const bool names_the_list = duplicate.field == "items" || duplicate.field == "kind";
        if ((list && names_the_list) || source.duplicates.size() > most_duplicates) {
            return duplicate;
        }
    }
    return std::nullopt;
}

std::optional<core::Problem> run(std::string_view text,
                                 Locate locate,
                                 const std::function<bool(const std::vector<Source>&)>& make,
                                 bool& again) {
    const core::Result<std::vector<Source>> sources = parse_sources(text, locate);
    if (!sources) {
        return sources.error();
    }
    if (std::optional<core::Problem> problem = too_large(text, *sources)) {
        return problem;
    }
    for (const Source& source : *sources) {
        if (std::optional<core::Problem> problem = misleading(source)) {
            return problem;
        }
    }
    const bool has_lines = locate == Locate::Yes || sources->empty() || sources->front().yaml;
    again = make(*sources) && !has_lines;
    return std::nullopt;
}

void locate(const Manifest& manifest, std::vector<core::Problem>& problems) {
    for (core::Problem& problem : problems) {
        const std::size_t line =
            manifest.source.lines.of(joined_path(manifest.path, problem.field));
        if (line != 0) {
            problem.message = fmt::format("line {}: {}", line, problem.message);
        }
    }
}

}  // namespace

std::string Manifest::kind(std::string_view version) const {
    const json::object* object = value.if_object();
    if (object == nullptr) {
        return {};
    }
    const std::string_view said = text_of(*object, "apiVersion");
    const std::string_view found = text_of(*object, "kind");
    const bool other_version = !said.empty() && said != version;
    return other_version ? fmt::format("{}/{}", said, found) : std::string(found);
}

bool Manifest::is_of(std::string_view wanted, std::string_view version) const {
    const std::string found = kind(version);
    const bool untyped_item = found.empty() && !list_kind.empty() && list_kind != "List";
    return !value.is_object() || found == wanted || untyped_item;
}

std::optional<core::Problem> with_sources(
    std::string_view text, const std::function<bool(const std::vector<Source>&)>& make) {
    if (text.size() > largest_manifests) {
        return core::Problem{fmt::format(
            "the text has {} bytes, it may have {} (256 MiB)", text.size(), largest_manifests)};
    }
    if (!simdjson::validate_utf8(text.data(), text.size())) {
        return core::Problem{"the text is not UTF-8"};
    }
    bool again = false;
    std::optional<core::Problem> problem = run(text, Locate::No, make, again);
    if (!problem && again && text.size() <= largest_located) {
        problem = run(text, Locate::Yes, make, again);
    }
    return problem;
}

bool is_list(const json::value& document, std::string_view kind) {
    return items_of(document, kind) != nullptr;
}

std::size_t count_manifests(const std::vector<Source>& sources, std::string_view kind) {
    std::size_t count = 0;
    for (const Source& source : sources) {
        const json::array* items = items_of(source.value, kind);
        count += items != nullptr ? items->size() : 1;
    }
    return count;
}

void each_manifest(const Source& source,
                   std::string_view kind,
                   const std::function<void(const Manifest&)>& take) {
    const json::array* items = items_of(source.value, kind);
    if (items == nullptr) {
        take({0, source.lines.of(""), source.value, source, {}});
        return;
    }
    const std::string_view list_kind = text_of(source.value.get_object(), "kind");
    for (std::size_t at = 0; at < items->size(); ++at) {
        std::string path = item_path("items", at);
        const std::size_t line = source.lines.of(path);
        take({at, line, (*items)[at], source, std::move(path), list_kind});
    }
}

void each_manifest(const std::vector<Source>& sources,
                   std::string_view kind,
                   const std::function<void(const Manifest&)>& take) {
    std::size_t index = 0;
    for (const Source& source : sources) {
        each_manifest(source, kind, [&](Manifest manifest) {
            manifest.index = index++;
            take(manifest);
        });
    }
}

std::optional<Members> meta_of(Members& object) {
    const std::size_t errors = object.notes().errors.size();
    std::optional<Members> meta = object.members("metadata");
    if (!meta && object.notes().errors.size() == errors) {
        object.refuse("metadata", "is required");
    }
    return meta;
}

core::ServiceKey read_key(Members& meta) {
    std::string ns = meta.text("namespace").value_or("");
    core::ServiceKey key{ns.empty() ? "default" : std::move(ns),
                         meta.required_text("name").value_or("")};
    if (key.name.empty() && !meta.contains("name")) {
        return key;
    }
    if (const std::optional<core::Problem> problem = invalid_key(key)) {
        const std::string field = meta.path_of(problem->field);
        meta.notes().errors.push_back({"metadata." + problem->message, field});
        key.name.clear();
    }
    return key;
}

std::optional<core::Problem> problem_of(const Manifest& manifest, Notes notes) {
    for (const core::Problem& duplicate : manifest.source.duplicates) {
        if (lies_within(duplicate.field, manifest.path)) {
            notes.errors.push_back(duplicate);
        }
    }
    if (notes.errors.empty()) {
        return std::nullopt;
    }
    locate(manifest, notes.errors);
    return as_one(notes.errors);
}

std::vector<core::Problem> warnings_of(const Manifest& manifest, Notes notes) {
    locate(manifest, notes.warnings);
    return std::move(notes.warnings);
}

}  // namespace ome::wire
