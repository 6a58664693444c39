#include "dir_folder.hpp"

#include <ome/net/safe_write.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace ome::controller {
namespace fs = std::filesystem;

DirFolder::DirFolder(std::string path)
    : path_(std::move(path)),
      service_tree_(path_ + "/inferenceservices"),
      override_tree_(path_ + "/overrides"),
      map_tree_(path_ + "/trafficmaps"),
      route_tree_(path_ + "/routes"),
      generations_(path_ + "/ome-trafficmap.generations"),
      maps_(map_tree_),
      routes_(route_tree_),
      services_(generations_,
                [this](const core::ServiceKey& key) {
                    const auto map = maps_.find(key);
                    return map != nullptr ? map->spec.observed_isvc_generation : 0;
                }),
      events_(path_ + "/events.ndjson") {}

core::Result<std::unique_ptr<DirFolder>> DirFolder::open(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        return core::Problem{fmt::format("{}: must be a folder", path), "store"};
    }
    std::unique_ptr<DirFolder> folder(new DirFolder(path));
    for (const ManifestTree* tree : folder->trees()) {
        fs::create_directories(tree->folder(), error);
        if (error) {
            return core::Problem{fmt::format("{}: {}", tree->folder(), error.message()), "store"};
        }
    }
    auto lead = FolderLead::open(path);
    if (!lead) {
        return lead.error();
    }
    folder->lead_ = *std::move(lead);
    auto watch = FolderWatch::create();
    if (!watch) {
        return watch.error();
    }
    folder->watch_ = *std::move(watch);
    return folder;
}

std::vector<const ManifestTree*> DirFolder::trees() const {
    return {&service_tree_, &override_tree_, &map_tree_, &route_tree_};
}

// Watched before it is read: what changes in between is told.
void DirFolder::watch_folders() {
    for (const ManifestTree* tree : trees()) {
        std::vector<std::string> folders{tree->folder()};
        std::error_code error;
        fs::directory_iterator at(tree->folder(), error);
        for (; !error && at != fs::directory_iterator(); at.increment(error)) {
            std::error_code ignored;
            if (fs::is_directory(at->path(), ignored)) {
                folders.push_back(at->path().string());
            }
        }
        for (const std::string& folder : folders) {
            // What cannot be watched is looked at now and then all the same.
            std::ignore = watch_->add(folder);
        }
    }
}

DirFolder::Seen DirFolder::scan() {
    watch_folders();
    Seen seen;
    seen.maps = map_tree_.scan();
    seen.overrides = override_tree_.scan();
    seen.services = service_tree_.scan();
    seen.routes = route_tree_.scan();
    return seen;
}

DirFolder::Seen DirFolder::look_at(const std::set<std::string>& paths) {
    const auto below = [&paths](const ManifestTree& tree) {
        std::set<std::string> relative;
        const std::string prefix = tree.folder() + "/";
        for (const std::string& path : paths) {
            if (path.starts_with(prefix)) {
                relative.insert(path.substr(prefix.size()));
            }
        }
        return relative;
    };
    return {.services = service_tree_.look(below(service_tree_)),
            .overrides = override_tree_.look(below(override_tree_)),
            .maps = map_tree_.look(below(map_tree_)),
            .routes = route_tree_.look(below(route_tree_))};
}

void DirFolder::take_service_files(const std::set<std::string>& paths) {
    for (const std::string& path : paths) {
        services_.take_file(path, service_tree_.read(path));
    }
}

// A renamed file is one that went before another came.
void DirFolder::take_routes(const ManifestTree::Changes& seen) {
    for (const std::string& path : seen.removed) {
        routes_.drop_file(path);
    }
    for (const std::string& path : seen.changed) {
        routes_.take_file(path);
    }
}

void DirFolder::take(const Seen& seen) {
    take_routes(seen.routes);
    for (const std::string& path : seen.maps.changed) {
        maps_.take_file(path);
    }
    for (const std::string& path : seen.maps.removed) {
        maps_.drop_file(path);
    }
    for (const std::string& path : seen.overrides.removed) {
        services_.drop_override(path);
    }
    for (const std::string& path : seen.overrides.changed) {
        services_.take_override(path, override_tree_.read(path));
    }
    // A renamed file is one that went before another came.
    for (const std::string& path : seen.services.removed) {
        services_.drop_file(path);
    }
    take_service_files({seen.services.changed.begin(), seen.services.changed.end()});
    // One that is read again may give way to an earlier one in its turn.
    for (auto stale = services_.take_stale(); !stale.empty(); stale = services_.take_stale()) {
        take_service_files(stale);
    }
    services_.settle();
    tell_of_folders();
}

void DirFolder::tell_of_folders() {
    StandingComplaints::ByPlace complaints;
    for (const ManifestTree* tree : trees()) {
        const std::string name = tree->folder().substr(path_.size() + 1);
        for (const auto& [folder, problem] : tree->unreadable()) {
            complaints.emplace(folder.empty() ? name : fmt::format("{}/{}", name, folder), problem);
        }
    }
    for (const ManifestTree* tree : {&service_tree_, &override_tree_}) {
        const std::string name = tree->folder().substr(path_.size() + 1);
        for (const std::string& stray : tree->strays()) {
            complaints.emplace(
                fmt::format("{}/{}", name, stray),
                core::Problem{
                    fmt::format("is not read: what is in {} is called NAMESPACE/NAME.yaml", name)});
        }
    }
    tell(folder_complaints_.tell(std::move(complaints)));
}

void DirFolder::tell(std::vector<StoreNews> some) {
    std::move(some.begin(), some.end(), std::back_inserter(problems_));
}

std::optional<core::Problem> DirFolder::displacement() {
    std::optional<core::Problem> problem = lead_->displaced();
    if (!problem && std::exchange(was_displaced_, false)) {
        for (const AddressQuery& query : std::exchange(unanswered_, {})) {
            answer(query);
        }
    }
    tell(place_complaints_.tell(path_, problem));
    return problem;
}

// What a cluster's garbage collector does: the owner is gone for certain.
bool DirFolder::is_orphan(const routing::TrafficMap& map) const {
    bool owned = false;
    for (const routing::OwnerReference& owner : map.meta.owner_references) {
        if (owner.kind != "InferenceService" || owner.api_version != routing::api_version) {
            return false;
        }
        const core::ServiceKey key{map.meta.key.ns, owner.name};
        const routing::InferenceService* service = services_.find(key);
        const bool gone =
            service == nullptr ? services_.knows_absence(key) : service->uid != owner.uid;
        if (!gone) {
            return false;
        }
        owned = true;
    }
    return owned;
}

void DirFolder::collect_garbage(const core::ServiceKey& key, core::WallTime now) {
    const auto map = maps_.find(key);
    if (map == nullptr || map->meta.deletion_timestamp || !is_orphan(*map)) {
        return;
    }
    const StoreResult result =
        maps_.remove({key, {map->meta.uid, map->meta.resource_version}}, now);
    if (result.outcome != StoreResult::Outcome::Done) {
        return;
    }
    if (result.map != nullptr) {
        problems_.emplace_back(news::MapIs{result.map});
    } else {
        problems_.emplace_back(news::MapGone{key});
    }
}

// Of a map without a service nobody else says that the service is gone.
void DirFolder::settle(const core::ServiceKey& key, core::WallTime now) {
    if (service_tree_.troubled() || maps_.find(key) == nullptr) {
        return;
    }
    if (services_.knows_absence(key)) {
        problems_.emplace_back(news::ServiceGone{key});
    }
    collect_garbage(key, now);
}

std::set<core::ServiceKey> DirFolder::touched(const std::vector<StoreNews>& told) {
    std::set<core::ServiceKey> keys;
    for (const StoreNews& one : told) {
        if (const auto* service = std::get_if<news::ServiceIs>(&one)) {
            keys.insert(service->service->key);
        } else if (const auto* gone = std::get_if<news::ServiceGone>(&one)) {
            keys.insert(gone->key);
        } else if (const auto* map = std::get_if<news::MapIs>(&one)) {
            keys.insert(map->map->meta.key);
        }
    }
    const std::set<std::string> settled = services_.take_settled();
    if (!settled.empty()) {
        for (const core::ServiceKey& key : maps_.keys()) {
            if (settled.contains(key.ns)) {
                keys.insert(key);
            }
        }
    }
    return keys;
}

std::vector<StoreNews> DirFolder::take_news(bool all, core::WallTime now) {
    std::vector<StoreNews> told = maps_.take_news();
    const auto append = [&told](std::vector<StoreNews> some) {
        std::move(some.begin(), some.end(), std::back_inserter(told));
    };
    append(services_.take_news());
    append(routes_.take_news());
    std::set<core::ServiceKey> keys = touched(told);
    if (all) {
        const std::vector<core::ServiceKey> maps = maps_.keys();
        keys.insert(maps.begin(), maps.end());
    }
    for (const core::ServiceKey& key : keys) {
        settle(key, now);
    }
    append(std::exchange(problems_, {}));
    append(generation_complaints_.tell("ome-trafficmap.generations", generations_.save()));
    return told;
}

std::vector<StoreNews> DirFolder::list(core::WallTime now) {
    generations_.load();
    Seen seen = scan();
    for (const ManifestTree* tree : {&map_tree_, &route_tree_}) {
        for (const std::string& ns : tree->namespaces()) {
            net::remove_leftovers(tree->path_of(ns));
        }
    }
    take(seen);
    std::vector<StoreNews> all = take_news(true, now);
    all.emplace_back(news::Listed{});
    return all;
}

std::vector<StoreNews> DirFolder::look(bool all, core::WallTime now) {
    FolderWatch::Events events = watch_->take();
    const bool was_displaced = was_displaced_;
    if (displacement()) {
        was_displaced_ = true;
        return std::exchange(problems_, {});
    }
    // What changed meanwhile was not looked at.
    all = all || was_displaced || events.look_at_all;
    take(all ? scan() : look_at(events.paths));
    return take_news(all, now);
}

}  // namespace ome::controller
