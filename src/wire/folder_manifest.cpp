#include "inference_service_reader.hpp"
#include "manifest_reader.hpp"
#include "placement_check.hpp"
#include <ome/routing/traffic_map.hpp>
#include <ome/wire/folder_manifest.hpp>
#include <ome/wire/object_document.hpp>

#include <boost/json.hpp>

namespace ome::wire {
namespace {

constexpr std::string_view our_kind = "InferenceService";

std::string text_of(const json::object& object, std::string_view name) {
    const json::value* member = object.if_contains(name);
    return member != nullptr && member->is_string() ? std::string(member->get_string())
                                                    : std::string();
}

/// The object as it is to be read. `space` holds it when it is not the one that was given.
const json::value& prepared(const json::value& given,
                            const FolderOptions& options,
                            json::value& space) {
    const json::object* object = given.if_object();
    const json::value* meta = object != nullptr ? object->if_contains("metadata") : nullptr;
    if (meta == nullptr || !meta->is_object()) {
        return given;
    }
    core::ServiceKey key{text_of(meta->get_object(), "namespace"),
                         text_of(meta->get_object(), "name")};
    const bool placed = !key.ns.empty();
    key.ns = placed ? key.ns : options.ns;
    const json::value* patch = options.patch ? options.patch(key) : nullptr;
    if (placed && patch == nullptr) {
        return given;
    }
    space = given;
    space.get_object()["metadata"].get_object()["namespace"] = key.ns;
    if (patch != nullptr) {
        merge_patch(space, *patch);
    }
    return space;
}

std::size_t line_of(const Manifest& manifest, std::string_view field) {
    return manifest.source.lines.of(joined_path(manifest.path, field));
}

class Reading {
public:
    explicit Reading(const FolderOptions& options) : options_(options) {}

    /// Whether there is anything to tell.
    bool run(const std::vector<Source>& sources) {
        out_ = {};
        out_.blank = sources.empty();
        telling_ = false;
        each_manifest(sources, our_kind, [this](const Manifest& manifest) { take(manifest); });
        return telling_;
    }

    FolderManifests release() { return std::move(out_); }

private:
    void take(const Manifest& manifest) {
        if (!manifest.is_of(our_kind, routing::api_version)) {
            out_.others.push_back(
                {manifest.index, line_of(manifest, "kind"), manifest.kind(routing::api_version)});
            telling_ = true;
            return;
        }
        Notes notes;
        json::value space;
        const json::value& value = prepared(manifest.value, options_, space);
        routing::InferenceService service = read_service_object(value, Named::Always, notes);
        std::optional<core::ServiceKey> key;
        if (!service.key.name.empty()) {
            key = service.key;
        }
        const json::object* object = value.if_object();
        const json::value* spec = object != nullptr ? object->if_contains("spec") : nullptr;
        std::optional<core::Problem> problem = problem_of(manifest, std::move(notes));
        out_.services.push_back({manifest.line,
                                 std::move(key),
                                 std::move(service),
                                 spec != nullptr ? stable_hash(*spec) : 0});
        FolderManifest& made = out_.services.back();
        if (problem) {
            made.service = *std::move(problem);
        } else {
            made.warnings = manifest_warnings(manifest);
        }
        made.namespace_line = line_of(manifest, "metadata.namespace");
        const bool elsewhere = made.key && made.key->ns != options_.ns;
        telling_ = telling_ || elsewhere || !made.service || !made.warnings.empty();
    }

    const FolderOptions& options_;
    FolderManifests out_;
    bool telling_ = false;
};

}  // namespace

core::Result<FolderManifests> read_folder_manifests(std::string_view text,
                                                    const FolderOptions& options) {
    Reading reading(options);
    if (std::optional<core::Problem> problem = with_sources(
            text, [&](const std::vector<Source>& sources) { return reading.run(sources); })) {
        return *problem;
    }
    return reading.release();
}

}  // namespace ome::wire
