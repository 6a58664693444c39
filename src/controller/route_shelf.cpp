#include "route_shelf.hpp"

#include "generations.hpp"
#include <ome/net/small_file.hpp>
#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ome::controller {

namespace json = boost::json;

std::string RouteShelf::place_of(const core::ServiceKey& source) {
    return fmt::format("{}/{}.yaml", source.ns, source.name);
}

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

std::vector<StoreNews> RouteShelf::take_news() {
    return std::exchange(news_, {});
}

}  // namespace ome::controller
