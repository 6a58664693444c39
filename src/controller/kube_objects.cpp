#include "kube_objects.hpp"

#include "kube_mirror.hpp"
#include "kube_publication_documents.hpp"
#include "kube_readability.hpp"
#include "kube_troubles.hpp"
#include <ome/net/clock.hpp>
#include <ome/net/task_scope.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;
namespace log = telemetry::log;

using routing::ObjectKind;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

kube::FollowTarget follow_target(ObjectKind kind, const std::string& ns) {
    kube::FollowTarget target;
    target.collection = collection_path(resource_of(kind), ns);
    if (kind != ObjectKind::HttpRoute) {
        target.label_selector = fmt::format("{}={}", routing::managed_by_label, routing::manager);
    }
    return target;
}

constexpr std::string_view gateway_api = "gateway.networking.k8s.io";

core::Problem missing_kind(ObjectKind kind) {
    const kube::Resource& of = resource_of(kind);
    return {missing_type(of.plural,
                         of.group,
                         of.version,
                         of.group == gateway_api ? "install the Gateway API CRDs"
                                                 : "it is one of every API server")};
}

struct Collection {
    Collection(asio::io_context& io,
               kube::Client& client,
               ObjectKind what,
               std::string where,
               KubeMirror::Listener listener)
        : kind(what),
          ns(std::move(where)),
          mirror(kind, std::move(listener)),
          follower(io, client, follow_target(kind, ns), mirror.follow()) {}

    [[nodiscard]] bool has(const routing::ObjectKey& key) const {
        return kind == key.kind && (ns.empty() || ns == key.ns);
    }

    ObjectKind kind;
    std::string ns;  // empty: all
    Readability readability;
    KubeMirror mirror;
    kube::Follower follower;
};

}  // namespace

struct KubeObjects::State {
    State(asio::io_context& context,
          kube::Client& asked,
          Listener whom,
          std::set<ObjectKind> wanted,
          core::Duration pause)
        : io(context),
          client(asked),
          listener(std::move(whom)),
          needed(std::move(wanted)),
          look_again(pause),
          tasks(context) {}

    void follow(ObjectKind kind, const std::string& ns);
    void take_list(Collection& of);
    void take_trouble(Collection& of, const kube::Failure& failure);
    void tell_kind(ObjectKind kind);
    void tell_unreadable(ObjectKind kind, const core::Problem& problem) const;
    [[nodiscard]] bool knows(const routing::ObjectKey& key) const;
    net::Awaitable<void> watch_strangers();
    void take_stranger(const routing::ObjectKey& key,
                       const kube::Outcome<boost::json::value>& object);

    asio::io_context& io;
    kube::Client& client;
    Listener listener;
    std::set<ObjectKind> needed;
    core::Duration look_again;
    std::vector<std::unique_ptr<Collection>> collections;
    std::map<ObjectKind, news::KindUnreadable> told;     // of kinds that cannot be read
    std::map<ObjectKind, core::WallTime> missing_since;  // of kinds that are needed
    std::set<routing::ObjectKey> strangers;              // in our way, and not followed
    bool watching = false;
    bool stopping = false;
    net::TaskScope tasks;
};

void KubeObjects::State::follow(ObjectKind kind, const std::string& ns) {
    KubeMirror::Listener heard;
    const std::size_t mine = collections.size();
    heard.news = [this](StoreNews one) { listener.news(std::move(one)); };
    heard.listed = [this, mine] { take_list(*collections[mine]); };
    heard.troubled = [this, mine](const kube::Failure& failure, core::Duration) {
        take_trouble(*collections[mine], failure);
    };
    heard.silent = [kind] {
        telemetry::log::debug("a watch was silent, listing again",
                              {{"at", routing::to_string(kind)}});
    };
    collections.push_back(std::make_unique<Collection>(io, client, kind, ns, std::move(heard)));
    collections.back()->follower.start();
}

void KubeObjects::State::take_list(Collection& of) {
    of.readability.listed();
    tell_kind(of.kind);
    listener.listed();
}

void KubeObjects::State::take_trouble(Collection& of, const kube::Failure& failure) {
    const bool was_missing = of.readability.missing();
    if (!of.readability.failed(failure)) {
        listener.troubled(failure);
        return;
    }
    if (of.readability.missing() && !was_missing) {
        of.mirror.all_gone();
    }
    tell_kind(of.kind);
    listener.listed();
}

// A kind is one to the publisher: it can be read when all its collections can.
void KubeObjects::State::tell_kind(ObjectKind kind) {
    const Readability* worst = nullptr;
    for (const auto& one : collections) {
        if (one->kind == kind && one->readability.problem() &&
            (worst == nullptr || worst->missing())) {
            worst = &one->readability;
        }
    }
    news::KindUnreadable now{kind, std::nullopt, false};
    if (worst != nullptr) {
        now.missing = worst->missing();
        now.problem = now.missing ? missing_kind(kind) : worst->problem();
    }
    const auto before = told.find(kind);
    const bool same = before == told.end() ? !now.problem
                                           : now.problem == before->second.problem &&
                                                 now.missing == before->second.missing;
    if (same) {
        return;
    }
    told.erase(kind);
    if (now.problem) {
        tell_unreadable(kind, *now.problem);
        told.emplace(kind, now);
    } else {
        log::info("objects of a kind can be read again", {{"kind", routing::to_string(kind)}});
    }
    if (!now.missing) {
        missing_since.erase(kind);
    } else if (needed.contains(kind)) {
        missing_since.emplace(kind, core::WallTime{net::read_clock().wall.seconds, 0});
    }
    listener.trouble_changed();
    listener.news(std::move(now));
}

void KubeObjects::State::tell_unreadable(ObjectKind kind, const core::Problem& problem) const {
    const log::Fields fields{{"kind", routing::to_string(kind)}, {"problem", problem.message}};
    if (needed.contains(kind)) {
        log::warn("objects of a kind that is needed cannot be read, nothing is published", fields);
    } else {
        log::info("objects of a kind cannot be read, none are published", fields);
    }
}

bool KubeObjects::State::knows(const routing::ObjectKey& key) const {
    return std::any_of(collections.begin(), collections.end(), [&key](const auto& one) {
        return one->has(key) && one->mirror.knows({key.ns, key.name});
    });
}

// The news of what has become ours come from the watch.
void KubeObjects::State::take_stranger(const routing::ObjectKey& key,
                                       const kube::Outcome<boost::json::value>& object) {
    if (knows(key)) {
        strangers.erase(key);
    } else if (!object && object.error().not_found()) {
        strangers.erase(key);
        listener.news(news::ObjectGone{key});
    }
}

net::Awaitable<void> KubeObjects::State::watch_strangers() {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!stopping && !strangers.empty()) {
        Timer timer(io.get_executor());
        timer.expires_after(look_again);
        std::ignore = co_await timer.async_wait(net::as_result);
        const std::set<routing::ObjectKey> all = strangers;
        for (const routing::ObjectKey& key : all) {
            if (stopping) {
                break;
            }
            const auto object = co_await client.get(target_of(key));
            take_stranger(key, object);
        }
    }
    watching = false;
}

KubeObjects::KubeObjects(asio::io_context& io,
                         kube::Client& client,
                         Listener listener,
                         std::set<ObjectKind> needed,
                         core::Duration look_again)
    : state_(std::make_unique<State>(
          io, client, std::move(listener), std::move(needed), look_again)) {}

KubeObjects::~KubeObjects() = default;

void KubeObjects::follow(const std::vector<std::string>& namespaces,
                         const std::vector<std::string>& of_routes) {
    for (const ObjectKind kind : routing::object_kinds) {
        for (const std::string& ns : kind == ObjectKind::HttpRoute ? of_routes : namespaces) {
            state_->follow(kind, ns);
        }
    }
}

bool KubeObjects::settled() const {
    const auto& all = state_->collections;
    return !all.empty() && std::none_of(all.begin(), all.end(), [](const auto& one) {
        return one->readability.unknown();
    });
}

std::vector<StoreTrouble> KubeObjects::troubles() const {
    std::vector<StoreTrouble> all;
    for (const auto& [kind, since] : state_->missing_since) {
        all.push_back({std::string(routing::to_string(kind)), missing_kind(kind).message, since});
    }
    return all;
}

void KubeObjects::stored(const routing::ObjectKey& key, const std::string& resource_version) {
    for (const auto& one : state_->collections) {
        if (one->has(key)) {
            one->mirror.stored({key.ns, key.name}, resource_version);
        }
    }
}

void KubeObjects::look_at(const PublicationResult& result) {
    const bool in_our_way =
        !state_->collections.empty() && result.outcome == StoreResult::Outcome::Conflict &&
        result.object && result.stored != nullptr && result.object->kind != ObjectKind::HttpRoute &&
        !state_->knows(*result.object);
    if (!in_our_way) {
        return;
    }
    state_->strangers.insert(*result.object);
    if (!std::exchange(state_->watching, true)) {
        state_->tasks.spawn(state_->watch_strangers());
    }
}

net::Awaitable<void> KubeObjects::stop() {
    state_->stopping = true;
    for (const auto& one : state_->collections) {
        co_await one->follower.stop();
    }
    co_await state_->tasks.stop();
    state_ = std::make_unique<State>(state_->io,
                                     state_->client,
                                     std::move(state_->listener),
                                     std::move(state_->needed),
                                     state_->look_again);
}

}  // namespace ome::controller
