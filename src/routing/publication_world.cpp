#include <ome/core/policy_rules.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/publication_world.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::routing {
namespace {

template <typename Index, typename Name, typename Key>
void drop(Index& index, const Name& name, const Key& key) {
    const auto found = index.find(name);
    if (found == index.end()) {
        return;
    }
    found->second.erase(key);
    if (found->second.empty()) {
        index.erase(found);
    }
}

const std::vector<std::string>& claims_of(const TrafficMap& map) {
    static const std::vector<std::string> none;
    return map.status.publisher ? map.status.publisher->claimed_targets : none;
}

bool is_of_another_publisher(const TrafficMap& map) {
    return !claims_of(map).empty() &&
           map.status.publisher->publisher_name != core::built_in_publisher;
}

bool hangs_on(const PublishedObject& route, const core::ServiceKey& gateway) {
    const auto& parents = std::get<HttpRouteSpec>(route.spec).parents;
    return std::any_of(parents.begin(), parents.end(), [&](const GatewayParent& parent) {
        return gateway_of(parent, route.meta.key.ns) == gateway;
    });
}

}  // namespace

bool has_legacy_finalizer(const InferenceService& service) {
    const auto& all = service.finalizers;
    return std::find(all.begin(), all.end(), legacy_finalizer) != all.end();
}

void PublicationWorld::index(const PublishedObject& object) {
    if (const auto source = source_of(object.meta)) {
        by_source_[*source].insert(object.key());
    }
    if (const auto* route = std::get_if<HttpRouteSpec>(&object.spec)) {
        for (const std::string& hostname : route->hostnames) {
            by_hostname_[hostname].insert(object.key());
        }
    }
}

void PublicationWorld::unindex(const PublishedObject& object) {
    if (const auto source = source_of(object.meta)) {
        drop(by_source_, *source, object.key());
    }
    if (const auto* route = std::get_if<HttpRouteSpec>(&object.spec)) {
        for (const std::string& hostname : route->hostnames) {
            drop(by_hostname_, hostname, object.key());
        }
    }
}

void PublicationWorld::put(PublishedObject object) {
    const ObjectKey key = object.key();
    erase(key);
    index(objects_.emplace(key, std::move(object)).first->second);
}

void PublicationWorld::erase(const ObjectKey& key) {
    const auto found = objects_.find(key);
    if (found != objects_.end()) {
        unindex(found->second);
        objects_.erase(found);
    }
}

void PublicationWorld::put(std::shared_ptr<const TrafficMap> map) {
    const core::ServiceKey key = map->meta.key;
    erase_map(key);
    for (const std::string& claim : claims_of(*map)) {
        by_claim_[claim].insert(key);
    }
    if (is_of_another_publisher(*map) || !routes_of_claims(claims_of(*map))) {
        strange_journals_.insert(key);
    }
    maps_[key] = std::move(map);
}

void PublicationWorld::erase_map(const core::ServiceKey& key) {
    const auto found = maps_.find(key);
    if (found == maps_.end()) {
        return;
    }
    for (const std::string& claim : claims_of(*found->second)) {
        drop(by_claim_, claim, key);
    }
    strange_journals_.erase(key);
    maps_.erase(found);
}

void PublicationWorld::put(std::shared_ptr<const InferenceService> service) {
    const core::ServiceKey key = service->key;
    legacy_.erase(key);
    if (has_legacy_finalizer(*service)) {
        legacy_.insert(key);
    }
    services_[key] = std::move(service);
}

void PublicationWorld::erase_service(const core::ServiceKey& key) {
    legacy_.erase(key);
    services_.erase(key);
    addresses_.erase(key);
}

void PublicationWorld::put_addresses(const core::ServiceKey& source, HomeAddresses addresses) {
    addresses_[source] = std::move(addresses);
}

void PublicationWorld::set_unreadable(ObjectKind kind,
                                      std::optional<core::Problem> why,
                                      bool missing) {
    unreadable_.erase(kind);
    if (why) {
        unreadable_.emplace(kind, Unreadable{*std::move(why), missing});
    }
}

const PublishedObject* PublicationWorld::find(const ObjectKey& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : &found->second;
}

std::shared_ptr<const TrafficMap> PublicationWorld::map(const core::ServiceKey& key) const {
    const auto found = maps_.find(key);
    return found == maps_.end() ? nullptr : found->second;
}

std::shared_ptr<const InferenceService> PublicationWorld::service(
    const core::ServiceKey& key) const {
    const auto found = services_.find(key);
    return found == services_.end() ? nullptr : found->second;
}

const HomeAddresses& PublicationWorld::addresses(const core::ServiceKey& source) const {
    static const HomeAddresses none;
    const auto found = addresses_.find(source);
    return found == addresses_.end() ? none : found->second;
}

const core::Problem* PublicationWorld::unreadable(ObjectKind kind) const {
    const auto found = unreadable_.find(kind);
    return found == unreadable_.end() ? nullptr : &found->second.why;
}

const core::Problem* PublicationWorld::hidden(ObjectKind kind) const {
    const auto found = unreadable_.find(kind);
    return found == unreadable_.end() || found->second.missing ? nullptr : &found->second.why;
}

std::vector<const PublishedObject*> PublicationWorld::owned_by(
    const core::ServiceKey& source) const {
    std::vector<const PublishedObject*> owned;
    const auto found = by_source_.find(source);
    if (found != by_source_.end()) {
        for (const ObjectKey& key : found->second) {
            owned.push_back(&objects_.at(key));
        }
    }
    return owned;
}

const PublishedObject* PublicationWorld::same_hostname(const ObjectKey& route,
                                                       const std::string& hostname,
                                                       const core::ServiceKey& gateway) const {
    const auto found = by_hostname_.find(hostname);
    if (found == by_hostname_.end()) {
        return nullptr;
    }
    for (const ObjectKey& key : found->second) {
        const PublishedObject& other = objects_.at(key);
        if (key != route && hangs_on(other, gateway)) {
            return &other;
        }
    }
    return nullptr;
}

std::optional<core::Problem> PublicationWorld::claim_conflict(
    const core::ServiceKey& map, const std::vector<std::string>& claims) const {
    for (const std::string& claim : claims) {
        const auto holders = by_claim_.find(claim);
        if (holders == by_claim_.end()) {
            continue;
        }
        for (const core::ServiceKey& holder : holders->second) {
            if (holder != map) {
                return core::Problem{
                    fmt::format("publisher target {} is already claimed by TrafficMap {}/{}",
                                core::go_quote(claim),
                                holder.ns,
                                holder.name)};
            }
        }
    }
    for (const core::ServiceKey& key : strange_journals_) {
        const TrafficMap& other = *maps_.at(key);
        if (key == map) {
            continue;
        }
        if (is_of_another_publisher(other)) {
            return core::Problem{fmt::format(
                "TrafficMap {}/{} retains claims for publisher {} while publisher {} is selected",
                key.ns,
                key.name,
                core::go_quote(other.status.publisher->publisher_name),
                core::go_quote(core::built_in_publisher))};
        }
        return core::Problem{fmt::format("TrafficMap {}/{} has an invalid publisher journal: {}",
                                         key.ns,
                                         key.name,
                                         routes_of_claims(claims_of(other)).error().message)};
    }
    return std::nullopt;
}

}  // namespace ome::routing
