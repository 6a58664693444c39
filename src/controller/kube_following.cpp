#include "kube_following.hpp"

#include "kube_troubles.hpp"
#include <ome/kube/follower.hpp>
#include <ome/kube/right.hpp>
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

const kube::Resource& resource_of(KubeMirror::Of what) {
    return what == KubeMirror::Of::Services ? kube::inference_services : kube::traffic_maps;
}

// What is missing, where the server's own words do not say what to do about it.
std::string explained(const kube::Resource& followed, const kube::Failure& failure) {
    if (!failure.not_found()) {
        return failure.message;
    }
    return missing_type(
        followed.plural, followed.group, followed.version, "install the CRDs first");
}

}  // namespace

// A collection that is followed, and what is known of it.
struct KubeFollowing::Followed {
    Followed(net::asio::io_context& io,
             kube::Client& client,
             KubeMirror::Of kind,
             std::string where,
             kube::FollowTarget target,
             KubeMirror::Listener listener)
        : what(kind),
          ns(std::move(where)),
          mirror(what, std::move(listener)),
          follower(io, client, std::move(target), mirror.follow()) {}

    KubeMirror::Of what;
    std::string ns;                            // empty: all
    StoreTrouble trouble = {"watch", {}, {}};  // no problem: there is none
    KubeMirror mirror;
    kube::Follower follower;
};

KubeFollowing::KubeFollowing(net::asio::io_context& io,
                             kube::Client& client,
                             std::string selector,
                             Listener listener)
    : io_(io), client_(client), selector_(std::move(selector)), listener_(std::move(listener)) {}

KubeFollowing::~KubeFollowing() = default;

void KubeFollowing::follow(const std::vector<std::string>& namespaces) {
    for (const std::string& ns : namespaces) {
        follow(KubeMirror::Of::Services, ns);
        follow(KubeMirror::Of::Maps, ns);
    }
}

void KubeFollowing::follow(KubeMirror::Of what, const std::string& ns) {
    kube::FollowTarget target;
    target.collection = collection_path(resource_of(what), ns);
    target.label_selector = what == KubeMirror::Of::Services ? selector_ : "";
    KubeMirror::Listener heard;
    heard.news = [this](StoreNews one) { listener_.news(std::move(one)); };
    const std::size_t mine = followed_.size();
    heard.listed = [this, mine] {
        note_trouble(*followed_[mine], {});
        listener_.listed();
    };
    heard.troubled = [this, what, mine](const kube::Failure& failure, core::Duration) {
        if (kube::lacks_right(failure)) {
            return;
        }
        const std::string problem = explained(resource_of(what), failure);
        // Of a list: what a watch cannot tell for a while is no reason to wait.
        if (!followed_[mine]->mirror.has_list() || failure.not_found()) {
            note_trouble(*followed_[mine], problem);
        }
        listener_.troubled(problem);
    };
    heard.silent = [at = target.collection] {
        telemetry::log::debug("a watch was silent, listing again", {{"at", at}});
    };
    followed_.push_back(
        std::make_unique<Followed>(io_, client_, what, ns, std::move(target), std::move(heard)));
    followed_.back()->follower.start();
}

void KubeFollowing::note_trouble(Followed& one, std::string problem) {
    if (one.trouble.problem == problem) {
        return;
    }
    if (one.trouble.problem.empty()) {
        one.trouble.since = {net::read_clock().wall.seconds, 0};
    }
    one.trouble.problem = std::move(problem);
    listener_.trouble_changed();
}

// While following begins or ends there may be nothing of it, which is no whole list.
bool KubeFollowing::whole() const {
    return !followed_.empty() &&
           std::all_of(followed_.begin(), followed_.end(), [](const auto& one) {
               return one->mirror.has_list();
           });
}

std::vector<StoreTrouble> KubeFollowing::troubles() const {
    std::vector<StoreTrouble> all;
    for (const auto& one : followed_) {
        if (!one->trouble.problem.empty()) {
            all.push_back(one->trouble);
        }
    }
    return all;
}

bool KubeFollowing::knows_service(const core::ServiceKey& key) const {
    const KubeMirror* services = mirror_of(KubeMirror::Of::Services, key.ns);
    return services != nullptr && services->knows(key);
}

KubeMirror* KubeFollowing::mirror_of(KubeMirror::Of what, const std::string& ns) const {
    for (const auto& one : followed_) {
        if (one->what == what && (one->ns.empty() || one->ns == ns)) {
            return &one->mirror;
        }
    }
    return nullptr;
}

void KubeFollowing::map_stored(const core::ServiceKey& key, const std::string& resource_version) {
    if (KubeMirror* maps = mirror_of(KubeMirror::Of::Maps, key.ns); maps != nullptr) {
        maps->stored(key, resource_version);
    }
}

void KubeFollowing::map_is_written(const core::ServiceKey& key, bool now) {
    KubeMirror* maps = mirror_of(KubeMirror::Of::Maps, key.ns);
    if (maps == nullptr) {
        return;
    }
    if (now) {
        maps->hold(key);
    } else {
        maps->release(key);
    }
}

net::Awaitable<void> KubeFollowing::stop() {
    for (const auto& one : followed_) {
        co_await one->follower.stop();
    }
    followed_.clear();
}

}  // namespace ome::controller
