#include "object_mirror.hpp"

#include <ome/wire/api_answer.hpp>

#include <utility>

namespace ome::kubectl {
namespace {

core::ServiceKey key_of(const wire::ApiIdentity& identity) {
    return {identity.ns, identity.name};
}

}  // namespace

void ObjectMirror::list_begins() {
    listing_ = true;
    listed_.clear();
}

void ObjectMirror::is(const json::value& object) {
    const wire::ApiIdentity identity = wire::identity_of(object);
    if (identity.name.empty()) {
        return;
    }
    const core::ServiceKey key = key_of(identity);
    if (listing_) {
        listed_.insert(key);
    }
    const auto known = versions_.find(key);
    const bool same = known != versions_.end() && !identity.resource_version.empty() &&
                      known->second == identity.resource_version;
    if (!same) {
        versions_[key] = identity.resource_version;
        news_[key] = object;
    }
}

void ObjectMirror::gone(const json::value& object) {
    const core::ServiceKey key = key_of(wire::identity_of(object));
    if (versions_.erase(key) > 0) {
        news_[key] = nullptr;
    }
}

void ObjectMirror::list_ends() {
    for (auto known = versions_.begin(); known != versions_.end();) {
        if (listed_.contains(known->first)) {
            ++known;
        } else {
            news_[known->first] = nullptr;
            known = versions_.erase(known);
        }
    }
    listed_.clear();
    listing_ = false;
    whole_ = true;
}

std::vector<Change> ObjectMirror::take_news() {
    std::vector<Change> changes;
    changes.reserve(news_.size());
    for (auto& [key, object] : std::exchange(news_, {})) {
        changes.push_back({key, std::move(object)});
    }
    return changes;
}

}  // namespace ome::kubectl
