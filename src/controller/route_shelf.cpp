#include "route_shelf.hpp"

#include "generations.hpp"
#include "safe_write.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/net/small_file.hpp>
#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ome::controller {
namespace {

namespace json = boost::json;
using Outcome = StoreResult::Outcome;

constexpr std::string_view folder = "routes/";

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

std::string place_of(const core::ServiceKey& source) {
    return fmt::format("{}/{}.yaml", source.ns, source.name);
}

}  // namespace

std::string RouteShelf::path_of(const routing::ObjectKey& key,
                                const core::ServiceKey& source) const {
    const auto known = places_.find(key);
    return known != places_.end() ? known->second : place_of(source);
}

void RouteShelf::complain(const std::string& path, const core::Problem& problem) {
    news_.emplace_back(news::Unusable{std::string(folder) + path, {}, problem});
}

// What it was before keeps its identity, and its version when it has not changed.
RouteShelf::Document RouteShelf::identified(json::value content, const std::string& path) {
    Document document{std::move(content)};
    if (!wire::object_kind_of(document.content)) {
        return document;
    }
    auto object = wire::read_published_object(document.content);
    if (!object) {
        complain(path, object.error());
        return document;
    }
    const auto known = places_.find(object->key());
    if (known != places_.end() && known->second != path) {
        complain(path,
                 {fmt::format("{} {} is in {}{} already",
                              routing::to_string(object->kind()),
                              routing::path_of(object->key()),
                              folder,
                              known->second)});
        return document;
    }
    if (known != places_.end()) {
        for (const Document& before : files_.at(path).documents) {
            if (before.object == nullptr || before.object->key() != object->key()) {
                continue;
            }
            if (before.content == document.content) {
                return before;
            }
            object->meta.uid = before.object->meta.uid;
        }
    }
    if (object->meta.uid.empty()) {
        object->meta.uid = random_uid();
    }
    object->meta.resource_version = std::to_string(++last_version_);
    document.object = std::make_shared<const routing::PublishedObject>(*std::move(object));
    return document;
}

core::Result<RouteShelf::File> RouteShelf::read(const std::string& path) {
    const auto file = net::read_small_file(tree_.path_of(path));
    if (!file) {
        return file.error();
    }
    auto documents = wire::read_documents(file->bytes);
    if (!documents) {
        return documents.error();
    }
    File made;
    std::set<routing::ObjectKey> seen;
    for (json::value& content : *documents) {
        Document document = identified(std::move(content), path);
        if (document.object != nullptr && !seen.insert(document.object->key()).second) {
            complain(path,
                     {fmt::format("{} {} is in the file more than once",
                                  routing::to_string(document.object->kind()),
                                  routing::path_of(document.object->key()))});
            document.object = nullptr;
        }
        made.documents.push_back(std::move(document));
    }
    return made;
}

// Puts the file in the place of what was there; whoever asked for the difference knows it.
void RouteShelf::replace(const std::string& path, File file, Tell tell) {
    std::map<routing::ObjectKey, std::shared_ptr<const routing::PublishedObject>> before;
    for (const Document& document : files_[path].documents) {
        if (document.object != nullptr) {
            before.emplace(document.object->key(), document.object);
        }
    }
    for (const Document& document : file.documents) {
        if (document.object == nullptr) {
            continue;
        }
        const routing::ObjectKey key = document.object->key();
        const auto old = before.find(key);
        if (tell == Tell::Yes && (old == before.end() || old->second != document.object)) {
            news_.emplace_back(news::ObjectIs{document.object});
        }
        if (old != before.end()) {
            before.erase(old);
        }
        places_[key] = path;
    }
    for (const auto& [key, object] : before) {
        places_.erase(key);
        if (tell == Tell::Yes) {
            news_.emplace_back(news::ObjectGone{key});
        }
    }
    tree_.adopt(path, file.signature);
    if (file.documents.empty() && !file.unreadable) {
        files_.erase(path);
    } else {
        files_[path] = std::move(file);
    }
}

// It was ours alone a moment ago, so what it was is known.
void RouteShelf::take_unreadable(const std::string& path,
                                 std::string signature,
                                 const core::Problem& why) {
    complain(path, why);
    File& file = files_[path];
    const bool ours =
        !file.documents.empty() &&
        std::all_of(file.documents.begin(), file.documents.end(), [&path](const Document& one) {
            const auto source = one.object ? routing::source_of(one.object->meta) : std::nullopt;
            return source && place_of(*source) == path;
        });
    file.signature = std::move(signature);
    file.unreadable = true;
    if (ours) {
        Draft repair;
        repair.files[path] = file;
        flush(repair);
    }
    if (!files_[path].unreadable) {
        news_.emplace_back(news::UsableAgain{std::string(folder) + path});
    }
}

void RouteShelf::take_file(const std::string& path) {
    if (!key_of_path(path)) {
        complain(path, {"the file must be called <namespace>/<name>.yaml"});
        return;
    }
    // Before it is read: what changes in between has another one and is told again.
    std::string signature = net::file_signature(tree_.path_of(path));
    const auto held = files_.find(path);
    if (held != files_.end() && held->second.signature == signature) {
        return;  // our own write
    }
    auto file = read(path);
    if (!file) {
        take_unreadable(path, std::move(signature), file.error());
        return;
    }
    if (held != files_.end() && held->second.unreadable) {
        news_.emplace_back(news::UsableAgain{std::string(folder) + path});
    }
    file->signature = std::move(signature);
    replace(path, *std::move(file));
    finish_deletions(path);
}

void RouteShelf::drop_file(const std::string& path) {
    const auto held = files_.find(path);
    if (held == files_.end()) {
        return;
    }
    if (held->second.unreadable) {
        news_.emplace_back(news::UsableAgain{std::string(folder) + path});
    }
    replace(path, {});
}

// The last finalizer of an object that was to go has gone.
void RouteShelf::finish_deletions(const std::string& path) {
    const auto is_over = [](const Document& document) {
        return document.object != nullptr && document.object->terminating() &&
               document.object->meta.finalizers.empty();
    };
    const auto held = files_.find(path);
    if (held == files_.end() ||
        std::none_of(held->second.documents.begin(), held->second.documents.end(), is_over)) {
        return;
    }
    Draft draft;
    auto& documents = drafted(draft, path).documents;
    documents.erase(std::remove_if(documents.begin(), documents.end(), is_over), documents.end());
    flush(draft);
}

// An edit that nobody has told yet.
void RouteShelf::look_again(const std::string& path) {
    const std::string signature = net::file_signature(tree_.path_of(path));
    const auto held = files_.find(path);
    if (signature == (held == files_.end() ? std::string() : held->second.signature)) {
        return;
    }
    if (signature.empty()) {
        drop_file(path);
    } else {
        take_file(path);
    }
}

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
    std::vector<FileWrite> writes;
    std::map<std::string, core::Problem> failed;
    for (auto& [path, file] : draft.files) {
        if (file.documents.empty()) {
            if (const auto problem = delete_safely(tree_.path_of(path))) {
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
        FileWrite write{tree_.path_of(path), {}};
        for (const Document& document : file.documents) {
            write.bytes += text_of(document.content, write.bytes.empty());
        }
        writes.push_back(std::move(write));
    }
    write_safely(writes);
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

std::vector<StoreNews> RouteShelf::take_news() {
    return std::exchange(news_, {});
}

}  // namespace ome::controller
