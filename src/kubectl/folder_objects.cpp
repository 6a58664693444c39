#include "folder_objects.hpp"

#include "members.hpp"
#include <ome/net/replaced_file.hpp>
#include <ome/net/small_file.hpp>
#include <ome/wire/document_kind.hpp>
#include <ome/wire/folder_manifest.hpp>
#include <ome/wire/object_document.hpp>
#include <ome/wire/problem_line.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace ome::kubectl {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> extensions{".json", ".yaml", ".yml"};

std::string_view folder_of(Kind kind) {
    return kind == Kind::TrafficMap ? "trafficmaps" : "inferenceservices";
}

bool is_manifest(const fs::path& path) {
    const std::string name = path.filename().string();
    return !name.starts_with('.') &&
           std::find(extensions.begin(), extensions.end(), path.extension().string()) !=
               extensions.end();
}

// Sorted; empty where there is no folder.
std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    fs::directory_iterator at(folder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
        entries.push_back(at->path());
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

std::vector<fs::path> namespaces_in(const fs::path& tree, const std::string& ns) {
    std::vector<fs::path> folders;
    for (const fs::path& entry : ns.empty() ? entries_of(tree) : std::vector{tree / ns}) {
        std::error_code error;
        if (!entry.filename().string().starts_with('.') && fs::is_directory(entry, error)) {
            folders.push_back(entry);
        }
    }
    return folders;
}

std::vector<fs::path> manifests_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::path& entry : entries_of(folder)) {
        if (is_manifest(entry)) {
            files.push_back(entry);
        }
    }
    return files;
}

bool is_of(const json::value& object, Kind kind) {
    const std::string version = text_at(object, {"apiVersion"});
    return text_at(object, {"kind"}) == to_string(kind) &&
           (version.empty() || version == "ome.io/v1beta1");
}

std::int64_t generation_of(const json::value& object, const wire::CountedGeneration* counted) {
    const json::value* spec = find(object, {"spec"});
    if (counted == nullptr || spec == nullptr) {
        return 0;
    }
    // The controller counts one up as soon as it sees another spec.
    return counted->generation + (wire::stable_hash(*spec) == counted->spec_hash ? 0 : 1);
}

}  // namespace

std::string version_of(const json::value& object) {
    return fmt::format("{:016x}", wire::stable_hash(object));
}

std::string FolderObjects::override_path(const core::ServiceKey& key) const {
    for (const bool unseen : {false, true}) {
        for (const std::string_view extension : extensions) {
            const std::string path =
                fmt::format("{}/overrides/{}/{}{}", path_, key.ns, key.name, extension);
            if (unseen ? net::may_be_there(path) : !net::file_signature(path).empty()) {
                return path;
            }
        }
    }
    return fmt::format("{}/overrides/{}/{}.yaml", path_, key.ns, key.name);
}

// The problem is that of an override that cannot be used.
std::optional<std::string> FolderObjects::complete_service(
    const core::ServiceKey& key,
    const wire::CountedGenerations& generations,
    json::value& object) const {
    const std::string path = override_path(key);
    std::error_code error;
    // The controller does not see a link to nowhere, either.
    if (fs::status(path, error).type() != fs::file_type::not_found) {
        const auto file = net::read_small_file(path);
        if (!file) {
            return file.error().message;
        }
        const auto patch = wire::read_manifest_patch(file->bytes);
        if (!patch) {
            return fmt::format("{}: {}", path, patch.error().message);
        }
        wire::merge_patch(object, *patch);
    }
    json::object& meta = object.get_object()["metadata"].get_object();
    if (text_at(object, {"metadata", "uid"}).empty()) {
        meta["uid"] = wire::derived_uid(key);
    }
    if (integer_at(object, {"metadata", "generation"}).value_or(0) == 0) {
        const auto counted = generations.find(key);
        meta["generation"] =
            generation_of(object, counted != generations.end() ? &counted->second : nullptr);
    }
    if (text_at(object, {"metadata", "resourceVersion"}).empty()) {
        meta["resourceVersion"] = version_of(object);
    }
    return std::nullopt;
}

void FolderObjects::read_file(Kind kind,
                              const std::string& ns,
                              const std::string& path,
                              const wire::CountedGenerations* generations,
                              FolderContent& content) const {
    const auto file = net::read_small_file(path);
    auto objects = file ? wire::read_objects(file->bytes)
                        : core::Result<std::vector<json::value>>(file.error());
    if (!objects) {
        const std::string& why = objects.error().message;
        content.problems.push_back(why.starts_with(path) ? why : fmt::format("{}: {}", path, why));
        return;
    }
    // The controller takes it for a slip, too.
    const bool blank = objects->empty() && kind == Kind::InferenceService &&
                       wire::find_kind(file->bytes).kind == wire::DocumentKind::Nothing;
    if (blank) {
        content.problems.push_back(
            fmt::format("{}: the file is empty: delete it to remove its services", path));
    }
    for (json::value& object : *objects) {
        if (!is_of(object, kind) || object_at(object, {"metadata"}) == nullptr) {
            continue;
        }
        json::object& meta = object.get_object()["metadata"].get_object();
        const std::string named = text_at(object, {"metadata", "namespace"});
        const core::ServiceKey key{ns, text_at(object, {"metadata", "name"})};
        if (key.name.empty() || (!named.empty() && named != ns)) {
            content.problems.push_back(fmt::format(
                "{}: metadata.name and metadata.namespace must name an object of {}", path, ns));
            continue;
        }
        meta["namespace"] = ns;
        object.get_object()["apiVersion"] = "ome.io/v1beta1";
        if (generations != nullptr) {
            if (auto problem = complete_service(key, *generations, object)) {
                content.problems.push_back(*std::move(problem));
                continue;
            }
        }
        content.objects.try_emplace(key, std::move(object));  // the first file by name counts
    }
}

FolderContent FolderObjects::read(Kind kind, const std::string& ns) const {
    FolderContent content;
    const fs::path tree = fs::path(path_) / folder_of(kind);
    std::optional<wire::CountedGenerations> generations;
    if (kind == Kind::InferenceService) {
        const auto file = net::read_small_file(path_ + "/ome-trafficmap.generations");
        generations = wire::read_generations(file ? std::string_view(file->bytes) : "");
    }
    for (const fs::path& folder : namespaces_in(tree, ns)) {
        for (const fs::path& path : manifests_in(folder)) {
            read_file(kind,
                      folder.filename().string(),
                      path.string(),
                      generations ? &*generations : nullptr,
                      content);
        }
    }
    return content;
}

std::optional<json::value> FolderObjects::manifest(const core::ServiceKey& key) const {
    FolderContent content;
    const fs::path folder = fs::path(path_) / folder_of(Kind::InferenceService) / key.ns;
    for (const fs::path& path : manifests_in(folder)) {
        read_file(Kind::InferenceService, key.ns, path.string(), nullptr, content);
    }
    const auto found = content.objects.find(key);
    return found == content.objects.end() ? std::nullopt : std::optional(std::move(found->second));
}

std::optional<std::string> FolderObjects::trouble_of(const core::ServiceKey& key) const {
    const fs::path folder = fs::path(path_) / folder_of(Kind::InferenceService) / key.ns;
    for (const fs::path& path : manifests_in(folder)) {
        const auto file = net::read_small_file(path.string());
        const auto manifests =
            file ? wire::read_folder_manifests(file->bytes, {.ns = key.ns, .patch = nullptr})
                 : core::Result<wire::FolderManifests>(file.error());
        if (!manifests) {
            continue;
        }
        for (const wire::FolderManifest& manifest : manifests->services) {
            if (manifest.key != key) {
                continue;
            }
            if (manifest.service) {
                return std::nullopt;  // the first file by name counts
            }
            return fmt::format(
                "{}: {}", path.string(), wire::on_one_line(manifest.service.error().message));
        }
    }
    return std::nullopt;
}

std::vector<FolderFile> FolderObjects::files() const {
    std::vector<FolderFile> files;
    const std::string generations = path_ + "/ome-trafficmap.generations";
    files.push_back({generations, net::file_signature(generations)});
    for (const std::string_view tree : {"inferenceservices", "overrides", "trafficmaps"}) {
        for (const fs::path& folder : namespaces_in(fs::path(path_) / tree, "")) {
            for (const fs::path& path : manifests_in(folder)) {
                files.push_back({path.string(), net::file_signature(path.string())});
            }
        }
    }
    return files;
}

}  // namespace ome::kubectl
