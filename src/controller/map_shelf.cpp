#include "map_shelf.hpp"

#include "generations.hpp"
#include <ome/core/text.hpp>
#include <ome/net/safe_write.hpp>
#include <ome/net/small_file.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace ome::controller {
namespace {

constexpr std::string_view folder = "trafficmaps/";

std::uint64_t version_of(const std::string& text) {
    std::uint64_t version = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    return error == std::errc{} && end == text.data() + text.size() ? version : 0;
}

// The one map that belongs into the file.
core::Result<wire::TrafficMapDocument> read_map(const std::string& path,
                                                const core::ServiceKey& key) {
    const auto file = net::read_small_file(path);
    if (!file) {
        return file.error();
    }
    auto documents = wire::read_traffic_maps(file->bytes);
    if (!documents) {
        return documents.error();
    }
    if (documents->size() != 1) {
        return core::Problem{fmt::format("{} TrafficMaps must be one", documents->size())};
    }
    wire::TrafficMapDocument& document = documents->front();
    if (!document.map) {
        return document.map.error();
    }
    if (document.map->meta.key != key) {
        return core::Problem{fmt::format("metadata.name {} must be {}, as the file is called",
                                         core::go_quote(document.map->meta.key.ns + "/" +
                                                        document.map->meta.key.name),
                                         core::go_quote(key.ns + "/" + key.name)),
                             "metadata.name"};
    }
    return std::move(document);
}

}  // namespace

std::string MapShelf::path_of(const core::ServiceKey& key) const {
    const auto found = maps_.find(key);
    return found != maps_.end() ? found->second.path : fmt::format("{}/{}.yaml", key.ns, key.name);
}

std::string MapShelf::text_of(const routing::TrafficMap& map) const {
    const auto held = maps_.find(map.meta.key);
    std::string text;
    if (held != maps_.end()) {
        wire::append_traffic_map_yaml(text, map, held->second.unknown);
    } else {
        wire::append_traffic_map_yaml(text, map);
    }
    return text;
}

std::string MapShelf::next_version() {
    return std::to_string(++last_version_);
}

void MapShelf::hold(const core::ServiceKey& key,
                    const std::string& path,
                    std::string signature,
                    routing::TrafficMap map) {
    last_version_ = std::max(last_version_, version_of(map.meta.resource_version));
    tree_.adopt(path, signature);
    Held& held = maps_[key];
    held.map = std::make_shared<const routing::TrafficMap>(std::move(map));
    held.path = path;
    held.signature = std::move(signature);
}

void MapShelf::take_file(const std::string& path) {
    const auto key = key_of_path(path);
    if (!key) {
        news_.emplace_back(news::Unusable{
            std::string(folder) + path, {}, {"the file must be called <namespace>/<name>.yaml"}});
        return;
    }
    // Before it is read: what changes in between has another one and is told again.
    const std::string signature = net::file_signature(tree_.path_of(path));
    const auto held = maps_.find(*key);
    if (held != maps_.end() && held->second.path == path && held->second.map != nullptr &&
        held->second.signature == signature) {
        return;  // our own write
    }
    if (held != maps_.end() && held->second.path != path) {
        news_.emplace_back(
            news::Unusable{std::string(folder) + path,
                           *key,
                           {fmt::format("the map is in {}{} already", folder, held->second.path)}});
        return;
    }
    auto document = read_map(tree_.path_of(path), *key);
    if (document) {
        if (held != maps_.end() && held->second.map == nullptr) {
            news_.emplace_back(news::UsableAgain{std::string(folder) + path});
        }
        maps_[*key].unknown = std::move(document->unknown);
        take_map(*key, path, signature, *std::move(document->map));
    } else if (held != maps_.end() && held->second.map != nullptr) {
        undo_damage(held->second, document.error());
    } else {
        const core::Problem& why = document.error();
        maps_[*key] = {nullptr, path, {}, {}};
        news_.emplace_back(news::MapUnreadable{
            *key, {fmt::format("{}{}: {}", folder, path, why.message), why.field}});
        news_.emplace_back(news::Unusable{std::string(folder) + path, *key, why});
    }
}

// As an API server would have numbered the write of whoever edited the file.
void MapShelf::take_map(const core::ServiceKey& key,
                        const std::string& path,
                        std::string signature,
                        routing::TrafficMap map) {
    const auto held = maps_.find(key);
    if (held != maps_.end() && held->second.map != nullptr) {
        const routing::TrafficMap& before = *held->second.map;
        if (before == map) {
            held->second.signature = std::move(signature);
            return;
        }
        map.meta.generation = before.meta.generation + (before.spec == map.spec ? 0 : 1);
        map.meta.resource_version = next_version();
        map.meta.uid = before.meta.uid;
        map.meta.creation_timestamp = before.meta.creation_timestamp;
    }
    if (map.meta.uid.empty()) {
        map.meta.uid = random_uid();
    }
    if (map.meta.resource_version.empty()) {
        map.meta.resource_version = next_version();
    }
    hold(key, path, std::move(signature), std::move(map));
    const auto& now = maps_[key].map;
    if (now->meta.deletion_timestamp && now->meta.finalizers.empty()) {
        std::ignore = delete_file(key);
        news_.emplace_back(news::MapGone{key});
        return;
    }
    news_.emplace_back(news::MapIs{now});
}

// It was ours a moment ago, so what it was is known.
void MapShelf::undo_damage(const Held& held, const core::Problem& problem) {
    news_.emplace_back(
        news::Unusable{std::string(folder) + held.path, held.map->meta.key, problem});
    const std::string path = held.path;
    if (store(held.map->meta.key, *held.map).outcome == StoreResult::Outcome::Done) {
        news_.emplace_back(news::UsableAgain{std::string(folder) + path});
    }
}

void MapShelf::drop_file(const std::string& path) {
    const auto key = key_of_path(path);
    const auto held = key ? maps_.find(*key) : maps_.end();
    if (held != maps_.end() && held->second.path == path) {
        if (held->second.map == nullptr) {
            news_.emplace_back(news::UsableAgain{std::string(folder) + path});
        }
        maps_.erase(held);
        news_.emplace_back(news::MapGone{*key});
    }
}

// An edit that nobody has told yet.
void MapShelf::look_again(const core::ServiceKey& key) {
    const std::string path = path_of(key);
    const std::string signature = net::file_signature(tree_.path_of(path));
    const auto held = maps_.find(key);
    const std::string known = held != maps_.end() ? held->second.signature : std::string();
    if (signature == known) {
        return;
    }
    if (signature.empty()) {
        drop_file(path);
    } else {
        take_file(path);
    }
}

bool MapShelf::is_current(const core::ServiceKey& key, const Precondition& precondition) {
    look_again(key);
    const auto map = find(key);
    if (map == nullptr) {
        return precondition == Precondition{} && !maps_.contains(key);
    }
    return precondition == Precondition{map->meta.uid, map->meta.resource_version};
}

StoreResult MapShelf::conflict(const core::ServiceKey& key) const {
    return {.key = key, .outcome = StoreResult::Outcome::Conflict, .map = find(key)};
}

routing::TrafficMap MapShelf::next_state(const MapWrite& write, core::WallTime now) {
    const auto before = find(write.key);
    routing::TrafficMap map = before != nullptr ? *before : routing::TrafficMap{};
    if (before == nullptr) {
        map.meta.key = write.key;
        map.meta.uid = random_uid();
        map.meta.creation_timestamp = core::WallTime{now.seconds, 0};
    }
    apply_write(map, write);
    // Spec and conditions are two writes of an API server.
    const bool both = before != nullptr && before->spec != map.spec && before->status != map.status;
    last_version_ += both ? 1 : 0;
    map.meta.resource_version = next_version();
    return map;
}

std::vector<StoreResult> MapShelf::carry_out(const std::vector<Change>& changes) {
    std::vector<StoreResult> results;
    std::vector<net::FileWrite> files;
    std::vector<std::pair<std::size_t, routing::TrafficMap>> pending;
    std::set<core::ServiceKey> taken;
    for (const Change& change : changes) {
        const bool possible = change.may_create || !change.precondition.uid.empty();
        if (!possible || !taken.insert(change.key).second ||
            !is_current(change.key, change.precondition)) {
            results.push_back(conflict(change.key));
            continue;
        }
        routing::TrafficMap map = change.next();
        files.push_back({tree_.path_of(path_of(change.key)), text_of(map)});
        pending.emplace_back(results.size(), std::move(map));
        results.push_back({.key = change.key});
    }
    net::write_safely(files);
    for (std::size_t i = 0; i < files.size(); ++i) {
        StoreResult& result = results[pending[i].first];
        if (files[i].problem) {
            result.outcome = StoreResult::Outcome::Failed;
            result.problem = *files[i].problem;
            continue;
        }
        hold(result.key, path_of(result.key), files[i].signature, std::move(pending[i].second));
        result.map = find(result.key);
    }
    return results;
}

std::vector<StoreResult> MapShelf::write(const std::vector<MapWrite>& writes, core::WallTime now) {
    std::vector<Change> changes;
    for (const MapWrite& write : writes) {
        changes.push_back({write.key, write.precondition, true, [&write, now, this] {
                               return next_state(write, now);
                           }});
    }
    return carry_out(changes);
}

std::vector<StoreResult> MapShelf::write(const std::vector<MapStatusWrite>& writes) {
    std::vector<Change> changes;
    for (const MapStatusWrite& write : writes) {
        changes.push_back({write.source, write.precondition, false, [&write, this] {
                               routing::TrafficMap map = *find(write.source);
                               routing::apply(map.status, write.status);
                               map.meta.resource_version = next_version();
                               return map;
                           }});
    }
    return carry_out(changes);
}

StoreResult MapShelf::write(const MapFinalizerWrite& request) {
    if (!is_current(request.source, request.precondition) || find(request.source) == nullptr) {
        return conflict(request.source);
    }
    routing::TrafficMap map = *find(request.source);
    auto& all = map.meta.finalizers;
    all.erase(std::remove(all.begin(), all.end(), routing::publisher_finalizer), all.end());
    if (request.held) {
        all.emplace_back(routing::publisher_finalizer);
    }
    if (all.empty() && map.meta.deletion_timestamp) {
        return delete_file(request.source);
    }
    map.meta.resource_version = next_version();
    return store(request.source, std::move(map));
}

StoreResult MapShelf::store(const core::ServiceKey& key, routing::TrafficMap map) {
    std::vector<net::FileWrite> files{{tree_.path_of(path_of(key)), text_of(map)}};
    net::write_safely(files);
    if (files.front().problem) {
        return {
            .key = key, .outcome = StoreResult::Outcome::Failed, .problem = *files.front().problem};
    }
    hold(key, path_of(key), files.front().signature, std::move(map));
    return {.key = key, .map = find(key)};
}

StoreResult MapShelf::delete_file(const core::ServiceKey& key) {
    const std::string path = path_of(key);
    if (const auto problem = net::delete_safely(tree_.path_of(path))) {
        return {.key = key, .outcome = StoreResult::Outcome::Failed, .problem = *problem};
    }
    tree_.adopt(path, {});
    maps_.erase(key);
    return {.key = key};
}

StoreResult MapShelf::remove(const MapDelete& request, core::WallTime now) {
    if (!is_current(request.key, request.precondition)) {
        return conflict(request.key);
    }
    const auto before = find(request.key);
    if (before == nullptr || before->meta.finalizers.empty()) {
        return delete_file(request.key);
    }
    if (before->meta.deletion_timestamp) {
        return {.key = request.key, .map = before};
    }
    routing::TrafficMap map = *before;
    map.meta.deletion_timestamp = core::WallTime{now.seconds, 0};
    ++map.meta.generation;
    map.meta.resource_version = next_version();
    return store(request.key, std::move(map));
}

std::vector<StoreNews> MapShelf::take_news() {
    return std::exchange(news_, {});
}

std::shared_ptr<const routing::TrafficMap> MapShelf::find(const core::ServiceKey& key) const {
    const auto found = maps_.find(key);
    return found == maps_.end() ? nullptr : found->second.map;
}

std::vector<core::ServiceKey> MapShelf::keys() const {
    std::vector<core::ServiceKey> keys;
    keys.reserve(maps_.size());
    for (const auto& [key, held] : maps_) {
        keys.push_back(key);
    }
    return keys;
}

}  // namespace ome::controller
