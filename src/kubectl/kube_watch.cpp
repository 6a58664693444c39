#include "kube_watch.hpp"

#include "kube_objects.hpp"
#include <ome/core/deadline.hpp>

#include <algorithm>
#include <utility>

namespace ome::kubectl {
namespace {

constexpr core::Duration endurance = std::chrono::minutes(1);
constexpr core::Duration list_interval = std::chrono::seconds(2);
// A person waits for it.
constexpr core::Duration longest_pause = std::chrono::seconds(5);

kube::FollowSettings follow_settings() {
    kube::FollowSettings settings;
    settings.backoff.longest = longest_pause;
    return settings;
}

// What no waiting puts right.
bool is_final(Failure what) {
    switch (what) {
        case Failure::Timeout:
        case Failure::Expired:
        case Failure::Unreadable:
        case Failure::Unavailable:
            return false;
        default:
            return true;
    }
}

}  // namespace

KubeWatch::KubeWatch(BlockingLoop& loop, kube::Client& client, Cluster& cluster, Of of)
    : loop_(loop),
      cluster_(cluster),
      of_(std::move(of)),
      asked_{Asked::Verb::List, "GET " + collection_of(of_.kind, of_.ns)},
      follower_(
          loop.io(), client, {collection_of(of_.kind, of_.ns)}, listener(), follow_settings()) {}

KubeWatch::~KubeWatch() {
    loop_.settle(follower_.stop());
}

kube::FollowListener KubeWatch::listener() {
    kube::FollowListener heard;
    heard.list_begins = [this] { mirror_.list_begins(); };
    heard.listed = [this](const json::value& object) { mirror_.is(object); };
    heard.list_ends = [this] { mirror_.list_ends(); };
    heard.changed = [this](wire::WatchEventType type, const json::value& object) {
        if (type == wire::WatchEventType::Deleted) {
            mirror_.gone(object);
        } else {
            mirror_.is(object);
        }
    };
    heard.troubled = [this](const kube::Failure& failure, core::Duration) {
        take_trouble(failure);
    };
    return heard;
}

void KubeWatch::take_trouble(const kube::Failure& failure) {
    if (failure.gone() || failure.overloaded()) {
        return;  // it lists again, or later
    }
    error_ = error_of(failure, asked_);
    if (!troubled_since_) {
        troubled_since_ = Clock::now();
    }
    may_not_watch_ = mirror_.whole() && failure.forbidden();
}

bool KubeWatch::is_beyond_endurance(const ClusterError& error) {
    if (!troubled_since_) {
        troubled_since_ = Clock::now();
    }
    return is_final(error.what) || Clock::now() - *troubled_since_ >= endurance;
}

// A watch that is open makes up for what was before.
bool KubeWatch::lost() {
    if (follower_.status().watching) {
        error_.reset();
        troubled_since_.reset();
    }
    return error_ && is_beyond_endurance(*error_);
}

std::optional<ClusterError> KubeWatch::start(core::Duration request_time) {
    request_time_ = request_time;
    follower_.start();
    const auto end = loop_.wait([this] { return mirror_.whole() || error_; }, request_time);
    if (mirror_.whole()) {
        return std::nullopt;
    }
    if (error_) {
        return error_;
    }
    return ClusterError{end == BlockingLoop::End::Interrupted ? Failure::Cancelled
                                                              : Failure::Timeout};
}

Answer<std::vector<Change>> KubeWatch::next(core::Duration most) {
    if (lists_again_) {
        return list_again(most);
    }
    loop_.wait([this] { return mirror_.has_news() || may_not_watch_ || lost(); }, most);
    if (may_not_watch_) {
        loop_.settle(follower_.stop());
        lists_again_ = true;
        error_.reset();
        troubled_since_.reset();
        next_list_ = core::later(Clock::now(), list_interval);
    } else if (!mirror_.has_news() && lost()) {
        return *error_;
    }
    return mirror_.take_news();
}

// A list may take as long as any request, whatever `most` says.
Answer<std::vector<Change>> KubeWatch::list_again(core::Duration most) {
    const auto until_next = next_list_ - Clock::now();
    const auto end = loop_.wait(
        [] { return false; }, std::clamp<core::Duration>(until_next, core::Duration::zero(), most));
    if (until_next > most || end == BlockingLoop::End::Interrupted) {
        return std::vector<Change>{};
    }
    const auto all = list_all(cluster_, {.kind = of_.kind, .ns = of_.ns}, request_time_);
    next_list_ = core::later(Clock::now(), list_interval);
    if (!all) {
        const bool interrupted = all.error().what == Failure::Cancelled;
        if (!interrupted && is_beyond_endurance(all.error())) {
            return all.error();
        }
        return std::vector<Change>{};
    }
    troubled_since_.reset();
    mirror_.list_begins();
    for (const json::value& object : all->items) {
        mirror_.is(object);
    }
    mirror_.list_ends();
    return mirror_.take_news();
}

}  // namespace ome::kubectl
