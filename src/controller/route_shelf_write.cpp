// Requests to the objects of a folder: a draft of the files first, then the disk, then the results.
#include "generations.hpp"
#include "route_shelf.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/net/safe_write.hpp>
#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::controller {
namespace {

namespace json = boost::json;
using Outcome = StoreResult::Outcome;

std::string text_of(const json::value& content, bool first) {
    std::string text = first ? "" : "---\n";
    wire::append_yaml(text, content);
    return text;
}

bool is_current(const std::shared_ptr<const routing::PublishedObject>& stored,
                const std::string& uid,
                const std::string& resource_version) {
    return stored == nullptr
               ? uid.empty()
               : stored->meta.uid == uid && stored->meta.resource_version == resource_version;
}

}  // namespace

RouteShelf::File& RouteShelf::drafted(Draft& draft, const std::string& path) {
    const auto known = draft.files.find(path);
    if (known != draft.files.end()) {
        return known->second;
    }
    look_again(path);
    const auto held = files_.find(path);
    return draft.files.emplace(path, held == files_.end() ? File{} : held->second).first->second;
}

std::shared_ptr<const routing::PublishedObject> RouteShelf::find(
    const Draft& draft, const std::string& path, const routing::ObjectKey& key) const {
    for (const Document& document : draft.files.at(path).documents) {
        if (document.object != nullptr && document.object->key() == key) {
            return document.object;
        }
    }
    return nullptr;
}

void RouteShelf::take(const ObjectWriteRequest& request, Draft& draft) {
    const routing::ObjectKey key = request.write.object.key();
    std::string path = path_of(key, request.source);
    File& file = drafted(draft, path);
    PublicationResult result{.source = request.source, .object = key};
    const auto stored = find(draft, path, key);
    if (file.unreadable) {
        result.outcome = Outcome::Failed;
        result.problem = {fmt::format("{}{} cannot be read", folder, path)};
        path.clear();
    } else if (!is_current(stored, request.write.uid, request.write.resource_version)) {
        result.outcome = Outcome::Conflict;
        result.stored = stored;
        path.clear();
    } else {
        const auto at = std::find_if(
            file.documents.begin(), file.documents.end(), [&stored](const Document& one) {
                return stored != nullptr && one.object == stored;
            });
        const json::object* before = at == file.documents.end() ? nullptr : at->content.if_object();
        json::value content = wire::written_object(request.write.object, before);
        auto object = wire::read_published_object(content);
        object->meta.uid = stored == nullptr ? random_uid() : stored->meta.uid;
        object->meta.resource_version = std::to_string(++last_version_);
        Document made{std::move(content),
                      std::make_shared<const routing::PublishedObject>(*std::move(object))};
        result.stored = made.object;
        if (at == file.documents.end()) {
            file.documents.push_back(std::move(made));
        } else {
            *at = std::move(made);
        }
    }
    draft.results.push_back(std::move(result));
    draft.paths.push_back(std::move(path));
}

void RouteShelf::take(const ObjectDeleteRequest& request, core::WallTime now, Draft& draft) {
    const routing::ObjectKey& key = request.remove.key;
    std::string path = path_of(key, request.source);
    File& file = drafted(draft, path);
    PublicationResult result{.source = request.source, .object = key};
    const auto stored = find(draft, path, key);
    const auto at =
        std::find_if(file.documents.begin(), file.documents.end(), [&stored](const Document& one) {
            return stored != nullptr && one.object == stored;
        });
    if (stored == nullptr) {
        path.clear();  // it is gone, which is what was asked for
    } else if (!is_current(stored, request.remove.uid, request.remove.resource_version)) {
        result.outcome = Outcome::Conflict;
        result.stored = stored;
        path.clear();
    } else if (file.unreadable) {
        result.outcome = Outcome::Failed;
        result.problem = {fmt::format("{}{} cannot be read", folder, path)};
        path.clear();
    } else if (stored->meta.finalizers.empty()) {
        file.documents.erase(at);
    } else {
        // Whoever holds it lets it go, or not.
        auto going = *stored;
        going.meta.deletion_timestamp = core::WallTime{now.seconds, 0};
        going.meta.resource_version = std::to_string(++last_version_);
        at->content.get_object()["metadata"].get_object()["deletionTimestamp"] =
            core::format_timestamp(*going.meta.deletion_timestamp);
        at->object = std::make_shared<const routing::PublishedObject>(std::move(going));
        result.stored = at->object;
    }
    draft.results.push_back(std::move(result));
    draft.paths.push_back(std::move(path));
}

// The files first: a result is told of what is on the disk.
void RouteShelf::flush(Draft& draft) {
    std::vector<net::FileWrite> writes;
    std::map<std::string, core::Problem> failed;
    for (auto& [path, file] : draft.files) {
        if (file.documents.empty()) {
            if (const auto problem = net::delete_safely(tree_.path_of(path))) {
                failed.emplace(path, *problem);
            }
            continue;
        }
        std::stable_sort(
            file.documents.begin(), file.documents.end(), [](const Document& a, const Document& b) {
                const bool both = a.object != nullptr && b.object != nullptr;
                return both ? a.object->key() < b.object->key()
                            : a.object != nullptr && b.object == nullptr;
            });
        net::FileWrite write{tree_.path_of(path), {}};
        for (const Document& document : file.documents) {
            write.bytes += text_of(document.content, write.bytes.empty());
        }
        writes.push_back(std::move(write));
    }
    net::write_safely(writes);
    auto written = writes.begin();
    for (auto& [path, file] : draft.files) {
        file.signature.clear();
        if (!file.documents.empty()) {
            file.signature = written->signature;
            if (written->problem) {
                failed.emplace(path, *written->problem);
            }
            ++written;
        }
        if (!failed.contains(path)) {
            file.unreadable = false;
            replace(path, std::move(file), draft.results.empty() ? Tell::Yes : Tell::No);
        }
    }
    for (std::size_t i = 0; i < draft.results.size(); ++i) {
        const auto problem = failed.find(draft.paths[i]);
        if (problem != failed.end()) {
            draft.results[i].outcome = Outcome::Failed;
            draft.results[i].problem = problem->second;
            draft.results[i].stored = nullptr;
        }
    }
}

std::vector<PublicationResult> RouteShelf::apply(const std::vector<ObjectRequest>& requests,
                                                 core::WallTime now) {
    Draft draft;
    for (const ObjectRequest& request : requests) {
        if (const auto* write = std::get_if<ObjectWriteRequest>(&request)) {
            take(*write, draft);
        } else {
            take(std::get<ObjectDeleteRequest>(request), now, draft);
        }
    }
    // Files that only were looked at stay as they are.
    for (auto file = draft.files.begin(); file != draft.files.end();) {
        const bool changed =
            std::find(draft.paths.begin(), draft.paths.end(), file->first) != draft.paths.end();
        file = changed ? std::next(file) : draft.files.erase(file);
    }
    flush(draft);
    return std::move(draft.results);
}

}  // namespace ome::controller
