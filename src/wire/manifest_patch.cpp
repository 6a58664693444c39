#include "annotation_check.hpp"
#include "inference_service_reader.hpp"
#include "manifest_reader.hpp"
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

void leave_out_names(json::value& patch) {
    json::object& object = patch.get_object();
    object.erase("apiVersion");
    object.erase("kind");
    if (json::value* meta = object.if_contains("metadata")) {
        meta->get_object().erase("name");
        meta->get_object().erase("namespace");
    }
}

// What is wrong with it; absent: it is in `out`.
std::optional<core::Problem> take_patch(const std::vector<Source>& sources, ManifestPatch& out) {
    if (sources.size() != 1) {
        return core::Problem{
            fmt::format("an override must be one object, here are {}", sources.size())};
    }
    const Source& source = sources.front();
    const Manifest manifest{
        .line = source.lines.of(""), .value = source.value, .source = source, .path = {}};
    Notes notes;
    if (auto problem = patch_problem(source.value)) {
        notes.errors.push_back(*std::move(problem));
    } else {
        const routing::InferenceService laid_over =
            read_service_object(source.value, Named::Perhaps, notes);
        check_annotations(source.value, laid_over, notes);
    }
    out.warnings = warnings_of(manifest, notes);
    if (auto problem = problem_of(manifest, std::move(notes))) {
        return problem;
    }
    out.value = source.value;
    leave_out_names(out.value);
    return std::nullopt;
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

core::Result<ManifestPatch> read_override(std::string_view text) {
    std::optional<core::Problem> wrong;
    ManifestPatch patch;
    const auto unreadable = with_sources(text, [&](const std::vector<Source>& sources) {
        patch = {};
        wrong = take_patch(sources, patch);
        return wrong || !patch.warnings.empty();
    });
    if (unreadable || wrong) {
        return unreadable ? *unreadable : *wrong;
    }
    return patch;
}

core::Result<json::value> read_manifest_patch(std::string_view text) {
    auto patch = read_override(text);
    if (!patch) {
        return patch.error();
    }
    return std::move(patch->value);
}

}  // namespace ome::wire
