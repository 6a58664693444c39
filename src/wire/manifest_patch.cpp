#include "source.hpp"
#include <ome/core/schedule.hpp>
#include <ome/core/text.hpp>
#include <ome/wire/folder_manifest.hpp>
#include <ome/wire/object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace ome::wire {
namespace {

using Names = std::initializer_list<std::string_view>;

std::optional<core::Problem> other_member(const json::value& value,
                                          std::string_view path,
                                          Names allowed) {
    const json::object* object = value.if_object();
    if (object == nullptr) {
        return core::Problem{
            fmt::format("{} must be an object", path.empty() ? "an override" : path),
            std::string(path)};
    }
    for (const auto& member : *object) {
        if (std::find(allowed.begin(), allowed.end(), member.key()) == allowed.end()) {
            const std::string field = member_path(path, member.key());
            return core::Problem{
                fmt::format("{} cannot be overridden: metadata.annotations and spec.routing can",
                            field),
                field};
        }
    }
    return std::nullopt;
}

std::optional<core::Problem> patch_problem(const json::value& patch) {
    if (auto problem = other_member(patch, "", {"apiVersion", "kind", "metadata", "spec"})) {
        return problem;
    }
    const json::object& object = patch.get_object();
    if (const json::value* meta = object.if_contains("metadata")) {
        if (auto problem = other_member(*meta, "metadata", {"annotations", "name", "namespace"})) {
            return problem;
        }
    }
    const json::value* spec = object.if_contains("spec");
    return spec != nullptr ? other_member(*spec, "spec", {"routing"}) : std::nullopt;
}

std::uint64_t hash_text(std::string_view kind, std::string_view text) {
    return core::identity_hash({kind, text});
}

}  // namespace

void merge_patch(json::value& target, const json::value& patch) {
    const json::object* members = patch.if_object();
    if (members == nullptr) {
        target = patch;
        return;
    }
    if (!target.is_object()) {
        target = json::object();
    }
    json::object& object = target.get_object();
    for (const auto& member : *members) {
        if (member.value().is_null()) {
            object.erase(member.key());
        } else {
            merge_patch(object[member.key()], member.value());
        }
    }
}

std::uint64_t stable_hash(const json::value& value) {
    if (const json::object* object = value.if_object()) {
        std::uint64_t sum = 0;  // commutes
        for (const auto& member : *object) {
            sum += hash_text(member.key(), std::to_string(stable_hash(member.value())));
        }
        return hash_text("object", std::to_string(sum));
    }
    if (const json::array* array = value.if_array()) {
        std::uint64_t chain = array->size();
        for (const json::value& item : *array) {
            chain = hash_text(std::to_string(chain), std::to_string(stable_hash(item)));
        }
        return hash_text("array", std::to_string(chain));
    }
    return hash_text("scalar", json::serialize(value));
}

core::Result<json::value> read_manifest_patch(std::string_view text) {
    auto sources = parse_sources(text, Locate::No);
    if (!sources) {
        return sources.error();
    }
    if (sources->size() != 1) {
        return core::Problem{
            fmt::format("an override must be one object, here are {}", sources->size())};
    }
    json::value patch = std::move(sources->front().value);
    if (auto problem = patch_problem(patch)) {
        return *problem;
    }
    json::object& object = patch.get_object();
    object.erase("apiVersion");
    object.erase("kind");
    if (json::value* meta = object.if_contains("metadata")) {
        meta->get_object().erase("name");
        meta->get_object().erase("namespace");
    }
    return patch;
}

}  // namespace ome::wire
