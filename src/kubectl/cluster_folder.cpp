#include "cluster_folder.hpp"

#include "json_patch.hpp"
#include "members.hpp"
#include "selector.hpp"
#include <ome/core/deadline.hpp>
#include <ome/net/file_lock.hpp>
#include <ome/net/replaced_file.hpp>
#include <ome/net/safe_write.hpp>
#include <ome/net/small_file.hpp>
#include <ome/wire/override_document.hpp>
#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

namespace ome::kubectl {
namespace {

using namespace std::chrono_literals;

// Folders on other machines tell no changes, so it is looked at in turns.
constexpr core::Duration look_interval = 100ms;

std::string joined(const std::vector<std::string>& problems) {
    constexpr std::size_t most_shown = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(problems.size(), most_shown); ++i) {
        text += (i > 0 ? "; " : "") + problems[i];
    }
    return problems.size() > most_shown
               ? fmt::format("{}; and {} more", text, problems.size() - most_shown)
               : text;
}

std::set<std::string> annotation_names(const json::value& object) {
    std::set<std::string> names;
    if (const json::object* annotations = object_at(object, {"metadata", "annotations"})) {
        for (const auto& member : *annotations) {
            names.emplace(member.key());
        }
    }
    return names;
}

std::vector<wire::AnnotationChange> annotation_changes(const json::value& before,
                                                       const json::value& after,
                                                       const json::value& manifest) {
    std::set<std::string> names = annotation_names(before);
    names.merge(annotation_names(after));
    std::vector<wire::AnnotationChange> changes;
    for (const std::string& name : names) {
        const json::value* old_value = find(before, {"metadata", "annotations", name});
        const json::value* new_value = find(after, {"metadata", "annotations", name});
        if (old_value != nullptr && new_value != nullptr && *old_value == *new_value) {
            continue;
        }
        wire::AnnotationChange change;
        change.name = name;
        change.in_manifest = find(manifest, {"metadata", "annotations", name}) != nullptr;
        if (new_value != nullptr && new_value->is_string()) {
            change.value = std::string(new_value->get_string());
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

json::value without_annotations(json::value object) {
    object.get_object()["metadata"].get_object().erase("annotations");
    return object;
}

class FolderWatch final : public Watch {
public:
    FolderWatch(FolderObjects objects, Kind kind, std::string ns)
        : objects_(std::move(objects)), kind_(kind), ns_(std::move(ns)) {}

    Answer<std::vector<Change>> next(core::Duration most) override {
        const auto give_up = core::later(std::chrono::steady_clock::now(), most);
        for (;;) {
            std::vector<FolderFile> files = objects_.files();
            if (first_ || files != files_) {
                files_ = std::move(files);
                if (std::vector<Change> changes = look(); first_ || !changes.empty()) {
                    first_ = false;
                    return changes;
                }
            }
            const auto now = std::chrono::steady_clock::now();
            if (now >= give_up) {
                return std::vector<Change>{};
            }
            std::this_thread::sleep_for(std::min<core::Duration>(look_interval, give_up - now));
        }
    }

private:
    std::vector<Change> look() {
        std::vector<Change> changes;
        FolderContent content = objects_.read(kind_, ns_);
        for (const auto& [key, object] : content.objects) {
            const auto before = known_.find(key);
            if (before == known_.end() || before->second != object) {
                changes.push_back({key, object});
            }
        }
        // A map that cannot be read for a moment is not gone. A service that cannot be is not what
        // it was.
        const bool stay = kind_ == Kind::TrafficMap && !content.problems.empty();
        for (const auto& [key, object] : known_) {
            if (!content.objects.contains(key) && !stay) {
                changes.push_back({key, nullptr});
            }
        }
        if (stay) {
            content.objects.merge(known_);
        }
        known_ = std::move(content.objects);
        return changes;
    }

    FolderObjects objects_;
    Kind kind_;
    std::string ns_;
    bool first_ = true;
    std::vector<FolderFile> files_;
    std::map<core::ServiceKey, json::value> known_;
};

}  // namespace

Answer<std::unique_ptr<Cluster>> FolderCluster::open(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
        return ClusterError{Failure::Unavailable, fmt::format("{} must be a folder", path)};
    }
    return std::unique_ptr<Cluster>(new FolderCluster(path));
}

Answer<json::value> FolderCluster::get(Kind kind, const core::ServiceKey& key, core::Duration) {
    FolderContent content = objects_.read(kind, key.ns);
    const auto found = content.objects.find(key);
    if (found != content.objects.end()) {
        return std::move(found->second);
    }
    if (!content.problems.empty()) {
        return ClusterError{Failure::Unreadable, joined(content.problems)};
    }
    return ClusterError{Failure::NotFound};
}

Answer<json::value> FolderCluster::route(const core::ServiceKey& source,
                                         const core::ServiceKey& route,
                                         core::Duration) {
    const std::string path =
        fmt::format("{}/routes/{}/{}.yaml", objects_.path(), source.ns, source.name);
    const auto file = net::read_small_file(path);
    if (!file) {
        return net::may_be_there(path) ? ClusterError{Failure::Unreadable, file.error().message}
                                       : ClusterError{Failure::NotFound};
    }
    auto documents = wire::read_documents(file->bytes);
    if (!documents) {
        return ClusterError{Failure::Unreadable, documents.error().message};
    }
    for (json::value& document : *documents) {
        if (wire::object_kind_of(document) == routing::ObjectKind::HttpRoute &&
            text_at(document, {"metadata", "namespace"}) == route.ns &&
            text_at(document, {"metadata", "name"}) == route.name) {
            return std::move(document);
        }
    }
    return ClusterError{Failure::NotFound};
}

Answer<Page> FolderCluster::list(const ListRequest& request, core::Duration) {
    const auto selector = parse_selector(request.selector);
    if (!selector) {
        return ClusterError{Failure::Rejected,
                            fmt::format("{} is no label selector", request.selector)};
    }
    FolderContent content = objects_.read(request.kind, request.ns);
    Page page;
    page.left_out = std::move(content.problems);
    for (auto& [key, object] : content.objects) {
        if (matches(*selector, object)) {
            page.items.push_back(std::move(object));
        }
    }
    return page;
}

Answer<json::value> FolderCluster::store(const core::ServiceKey& key,
                                         const json::value& before,
                                         const json::value& after) {
    const auto manifest = objects_.manifest(key);
    if (!manifest) {
        return ClusterError{Failure::Unreadable};
    }
    const std::string path = objects_.override_path(key);
    const auto held = net::read_to_replace(path);
    if (!held) {
        return ClusterError{Failure::Unreadable, held.error().message};
    }
    const auto text = wire::with_annotations(*held, annotation_changes(before, after, *manifest));
    if (!text) {
        return ClusterError{Failure::Unreadable, text.error().message};
    }
    std::optional<core::Problem> problem;
    if (text->empty()) {
        problem = net::delete_safely(path);
    } else {
        std::vector<net::FileWrite> files{{path, *text}};
        net::write_safely(files);
        problem = files.front().problem;
    }
    if (problem) {
        return ClusterError{Failure::Unavailable, problem->message};
    }
    return get(Kind::InferenceService, key, {});
}

Answer<json::value> FolderCluster::patch(const PatchRequest& request, core::Duration most) {
    const auto lock = net::FileLock::take(objects_.path() + "/overrides.lock", most);
    if (!lock) {
        return ClusterError{Failure::Unavailable, lock.error().message};
    }
    auto before = get(Kind::InferenceService, request.key, most);
    if (!before) {
        return before.error();
    }
    json::value after = *before;
    switch (apply_json_patch(after, request.operations)) {
        case Patched::TestFailed:
            return ClusterError{Failure::Conflict};
        case Patched::Malformed:
            return ClusterError{Failure::Rejected, "the patch does not fit the object"};
        case Patched::Done:
            break;
    }
    if (without_annotations(after) != without_annotations(*before)) {
        return ClusterError{Failure::Unsupported, "a folder takes annotations and nothing else"};
    }
    return request.dry_run ? Answer<json::value>(std::move(after))
                           : store(request.key, *before, after);
}

Answer<std::unique_ptr<Watch>> FolderCluster::watch(Kind kind, const std::string& ns) {
    return std::unique_ptr<Watch>(std::make_unique<FolderWatch>(objects_, kind, ns));
}

}  // namespace ome::kubectl
