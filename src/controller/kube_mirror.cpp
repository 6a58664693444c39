#include "kube_mirror.hpp"

#include "kube_publication_documents.hpp"
#include <ome/wire/api_answer.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/service_remarks.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace ome::controller {
namespace {

core::ServiceKey key_of(const boost::json::value& object) {
    wire::ApiIdentity identity = wire::identity_of(object);
    return {std::move(identity.ns), std::move(identity.name)};
}

std::optional<std::uint64_t> number(const std::string& version) {
    std::uint64_t value = 0;
    const char* const end = version.data() + version.size();
    const auto [stop, error] = std::from_chars(version.data(), end, value);
    return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace

KubeMirror::KubeMirror(Of what, Listener listener) : what_(what), listener_(std::move(listener)) {}

KubeMirror::KubeMirror(routing::ObjectKind kind, Listener listener)
    : what_(Of::Objects), kind_(kind), listener_(std::move(listener)) {}

kube::FollowListener KubeMirror::follow() {
    kube::FollowListener made;
    made.list_begins = [this] {
        listed_.clear();
        versions_.clear();
        for (auto& [key, change] : held_) {
            change.reset();  // the list is newer
        }
    };
    made.listed = [this](const boost::json::value& object) {
        listed_.insert(key_of(object));
        take(object);
    };
    made.list_ends = [this] {
        const std::set<core::ServiceKey> before = known_;
        for (const core::ServiceKey& key : before) {
            if (listed_.find(key) == listed_.end()) {
                gone(key);
            }
        }
        listed_.clear();
        has_list_ = true;
        listener_.listed();
    };
    made.changed = [this](wire::WatchEventType type, const boost::json::value& object) {
        const auto held = held_.find(key_of(object));
        if (held == held_.end()) {
            change(type, object);
        } else {
            held->second = Change{type, object};
        }
    };
    made.troubled = [this](const kube::Failure& failure, core::Duration pause) {
        listener_.troubled(failure, pause);
    };
    made.silent = listener_.silent;
    return made;
}

void KubeMirror::change(wire::WatchEventType type, const boost::json::value& object) {
    const core::ServiceKey key = key_of(object);
    if (is_history(key, wire::identity_of(object).resource_version)) {
        return;
    }
    if (type == wire::WatchEventType::Deleted) {
        gone(key);
    } else {
        take(object);
    }
}

void KubeMirror::hold(const core::ServiceKey& key) {
    held_.emplace(key, std::nullopt);
}

void KubeMirror::release(const core::ServiceKey& key) {
    const auto held = held_.extract(key);
    if (!held.empty() && held.mapped()) {
        change(held.mapped()->type, held.mapped()->object);
    }
}

void KubeMirror::stored(const core::ServiceKey& key, const std::string& resource_version) {
    versions_[key] = resource_version;
}

// Versions of one server are numbers that grow; one that is none is believed.
bool KubeMirror::is_history(const core::ServiceKey& key, const std::string& version) const {
    const auto ours = versions_.find(key);
    if (ours == versions_.end()) {
        return false;
    }
    const auto stored = number(ours->second);
    const auto told = number(version);
    return stored && told && *told < *stored;
}

void KubeMirror::gone(const core::ServiceKey& key) {
    known_.erase(key);
    versions_.erase(key);
    remarks_.erase(key);
    usable(key);
    if (what_ == Of::Services) {
        listener_.news(news::ServiceGone{key});
    } else if (what_ == Of::Maps) {
        listener_.news(news::MapGone{key});
    } else {
        listener_.news(news::ObjectGone{{kind_, key.ns, key.name}});
    }
}

void KubeMirror::all_gone() {
    const std::set<core::ServiceKey> before = known_;
    for (const core::ServiceKey& key : before) {
        gone(key);
    }
}

void KubeMirror::take(const boost::json::value& object) {
    const core::ServiceKey key = key_of(object);
    known_.insert(key);
    versions_.erase(key);
    tell(key, object);
}

void KubeMirror::complain(const core::ServiceKey& key,
                          const boost::json::value& object,
                          const core::Problem& problem) {
    unusable_.insert(key);
    if (what_ == Of::Maps) {
        listener_.news(news::MapUnreadable{key, problem});
        return;
    }
    // The key is that of a service, which an object of another kind says nothing about.
    news::Unusable unusable;
    unusable.place = place_of(key);
    unusable.problem = problem;
    if (what_ == Of::Services) {
        unusable.key = key;
        unusable.holds = {key};
        unusable.service_uid = wire::identity_of(object).uid;
    }
    listener_.news(std::move(unusable));
}

// A complaint about it is over. Maps have their own way to tell.
void KubeMirror::usable(const core::ServiceKey& key) {
    if (unusable_.erase(key) > 0 && what_ != Of::Maps) {
        listener_.news(news::UsableAgain{place_of(key)});
    }
}

// Once, until they are others: a service changes all the time.
void KubeMirror::remark(const core::ServiceKey& key, const boost::json::value& object) {
    std::vector<core::Problem> now = wire::service_remarks(object);
    const auto before = remarks_.find(key);
    const bool same = before == remarks_.end() ? now.empty() : before->second == now;
    if (same) {
        return;
    }
    for (const core::Problem& one : now) {
        listener_.news(news::Doubtful{place_of(key), one, key, wire::identity_of(object).uid});
    }
    remarks_.erase(key);
    if (!now.empty()) {
        remarks_.emplace(key, std::move(now));
    }
}

std::string KubeMirror::place_of(const core::ServiceKey& key) const {
    const kube::Resource& of =
        what_ == Of::Services ? kube::inference_services : resource_of(kind_);
    return fmt::format("{}/{}/{}", of.plural, key.ns, key.name);
}

void KubeMirror::tell_object(const core::ServiceKey& key, const boost::json::value& object) {
    auto stored = read_stored(kind_, object);
    if (!stored) {
        return complain(key, object, stored.error());
    }
    usable(key);
    listener_.news(news::ObjectIs{*std::move(stored)});
}

void KubeMirror::tell(const core::ServiceKey& key, const boost::json::value& object) {
    if (what_ == Of::Maps) {
        auto map = wire::read_traffic_map(object);
        if (!map) {
            return complain(key, object, map.error());
        }
        listener_.news(news::MapIs{std::make_shared<const routing::TrafficMap>(*std::move(map))});
        return;
    }
    if (what_ == Of::Objects) {
        return tell_object(key, object);
    }
    auto service = wire::read_inference_service(object);
    if (!service) {
        return complain(key, object, service.error());
    }
    usable(key);
    remark(key, object);
    listener_.news(
        news::ServiceIs{std::make_shared<const routing::InferenceService>(*std::move(service))});
}

}  // namespace ome::controller
