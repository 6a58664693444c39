#include "kube_store.hpp"

#include "kube_mirror.hpp"
#include "kube_objects.hpp"
#include "kube_workloads.hpp"
#include "kube_writer.hpp"
#include <ome/kube/elector.hpp>
#include <ome/kube/follower.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/reactor.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/telemetry/repeat_limiter.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;
namespace log = telemetry::log;

constexpr core::Duration last_writes = std::chrono::seconds(5);

// A collection that is followed, and what is known of it.
struct Followed {
    Followed(asio::io_context& io,
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
    std::string ns;  // empty: all
    KubeMirror mirror;
    kube::Follower follower;
};

}  // namespace

// Everything but `to` and `listener` is of the store's own reactor.
struct KubeStore::State {
    State(asio::io_context& user, kube::Access access, KubeStoreSettings chosen)
        : to(user),
          settings(std::move(chosen)),
          reactor("kube-store"),
          client(reactor.io(), std::move(access)),
          elector(reactor.io(),
                  client,
                  settings.lease_namespace,
                  settings.lease_name,
                  settings.election,
                  {[this](bool leading) { take_lead(leading); },
                   [this](const kube::Failure& failure) { tell_trouble("lease", failure); }}),
          writer(reactor.io(),
                 {client,
                  [this] { return elector.leads_until(); },
                  [this](StoreResult result) { tell(std::move(result)); },
                  [this](PublicationResult result) { tell(std::move(result)); },
                  [this](const core::ServiceKey& key, const std::string& version) {
                      note_stored(key, version);
                  },
                  [this](const routing::ObjectKey& key, const std::string& version) {
                      objects.stored(key, version);
                  },
                  [this](const kube::Failure& failure) { tell_trouble("Event", failure); }},
                 settings.election.identity,
                 settings.writes_at_once),
          objects(reactor.io(),
                  client,
                  {[this](StoreNews one) { tell(std::move(one)); },
                   [this] { look_whether_listed(); },
                   [this](const kube::Failure& failure) { tell_trouble("watch", failure); }}),
          workloads(settings.workload_kubeconfigs, [this](news::AddressesAre answer) {
              reactor.post([this, answer = std::move(answer)]() mutable {
                  tell(StoreNews(std::move(answer)));
              });
          }) {}

    void take_lead(bool leading);
    void follow_all();
    void follow(KubeMirror::Of what, const std::string& ns);
    void look_whether_listed();
    void note_stored(const core::ServiceKey& key, const std::string& version);
    void tell(StoreNews one);
    void tell(StoreResult result);
    void tell(PublicationResult result);
    void flush();
    void tell_trouble(const char* where, const kube::Failure& failure);
    net::Awaitable<void> stop();

    asio::io_context& to;
    std::shared_ptr<Listener> listener;
    KubeStoreSettings settings;
    net::Reactor reactor;
    kube::Client client;
    kube::Elector elector;
    KubeWriter writer;
    KubeObjects objects;
    KubeWorkloads workloads;
    std::vector<std::unique_ptr<Followed>> followed;
    std::vector<StoreNews> news;
    bool flushing = false;
    bool listed = false;
    bool started = false;
    telemetry::RepeatLimiter complaints{std::chrono::minutes(1)};
};

void KubeStore::State::take_lead(bool leading) {
    asio::post(to, [whom = listener, leading] {
        if (whom->leading) {
            whom->leading(leading);
        }
    });
    if (leading && followed.empty()) {
        follow_all();
    }
}

void KubeStore::State::follow(KubeMirror::Of what, const std::string& ns) {
    const bool services = what == KubeMirror::Of::Services;
    kube::FollowTarget target;
    target.collection =
        collection_path(services ? kube::inference_services : kube::traffic_maps, ns);
    target.label_selector = services ? settings.selector : "";
    const std::string name = target.collection;
    KubeMirror::Listener heard;
    heard.news = [this](StoreNews one) { tell(std::move(one)); };
    heard.listed = [this] { look_whether_listed(); };
    heard.troubled = [this](const kube::Failure& failure, core::Duration) {
        tell_trouble("watch", failure);
    };
    followed.push_back(std::make_unique<Followed>(
        reactor.io(), client, what, ns, std::move(target), std::move(heard)));
    followed.back()->follower.start();
}

void KubeStore::State::follow_all() {
    const std::vector<std::string> all{""};
    const auto& namespaces = settings.namespaces.empty() ? all : settings.namespaces;
    for (const std::string& ns : namespaces) {
        follow(KubeMirror::Of::Services, ns);
        follow(KubeMirror::Of::Maps, ns);
    }
    std::vector<std::string> with_objects = namespaces;
    const std::string& routes = settings.route_namespace;
    const bool more = !settings.namespaces.empty() && !routes.empty() &&
                      std::find(namespaces.begin(), namespaces.end(), routes) == namespaces.end();
    if (more) {
        with_objects.push_back(routes);
    }
    objects.follow(with_objects);
}

void KubeStore::State::look_whether_listed() {
    const bool whole = std::all_of(
        followed.begin(), followed.end(), [](const auto& one) { return one->mirror.has_list(); });
    if (whole && objects.settled() && !std::exchange(listed, true)) {
        tell(news::Listed{});
    }
}

void KubeStore::State::note_stored(const core::ServiceKey& key, const std::string& version) {
    for (const auto& one : followed) {
        if (one->what == KubeMirror::Of::Maps && (one->ns.empty() || one->ns == key.ns)) {
            one->mirror.stored(key, version);
        }
    }
}

// What comes in one turn is told together.
void KubeStore::State::tell(StoreNews one) {
    news.push_back(std::move(one));
    if (!std::exchange(flushing, true)) {
        asio::post(reactor.io(), [this] { flush(); });
    }
}

void KubeStore::State::flush() {
    flushing = false;
    asio::post(to, [whom = listener, told = std::exchange(news, {})]() mutable {
        if (whom->news) {
            whom->news(std::move(told));
        }
    });
}

void KubeStore::State::tell(StoreResult result) {
    asio::post(to, [whom = listener, result = std::move(result)]() mutable {
        if (whom->results) {
            whom->results({std::move(result)});
        }
    });
}

void KubeStore::State::tell(PublicationResult result) {
    objects.look_at(result);
    asio::post(to, [whom = listener, result = std::move(result)]() mutable {
        if (whom->published) {
            whom->published({std::move(result)});
        }
    });
}

void KubeStore::State::tell_trouble(const char* where, const kube::Failure& failure) {
    const auto verdict = complaints.admit(failure.message, net::read_clock().steady);
    if (verdict.tell) {
        log::warn("trouble with the API server",
                  {{"at", where}, {"problem", failure.message}, {"untold", verdict.untold}});
    }
}

// The lease last: whoever comes next finds everything written.
net::Awaitable<void> KubeStore::State::stop() {
    co_await asio::this_coro::throw_if_cancelled(false);
    for (const auto& one : followed) {
        co_await one->follower.stop();
    }
    co_await writer.stop(last_writes);
    co_await objects.stop();
    co_await elector.stop();
    client.stop();
    reactor.stop();
}

KubeStore::KubeStore(asio::io_context& io, kube::Access access, KubeStoreSettings settings)
    : state_(std::make_unique<State>(io, std::move(access), std::move(settings))) {}

KubeStore::~KubeStore() {
    stop();
}

void KubeStore::start(Listener listener) {
    State& state = *state_;
    state.listener = std::make_shared<Listener>(std::move(listener));
    state.started = true;
    state.reactor.post([&state] { state.elector.start(); });
    state.reactor.start();
}

void KubeStore::submit(std::vector<StoreRequest> requests) {
    std::vector<StoreRequest> writes;
    for (StoreRequest& request : requests) {
        if (auto* query = std::get_if<AddressQuery>(&request)) {
            state_->workloads.submit(std::move(*query));
        } else {
            writes.push_back(std::move(request));
        }
    }
    if (!writes.empty()) {
        state_->reactor.post([state = state_.get(), writes = std::move(writes)]() mutable {
            state->writer.submit(std::move(writes));
        });
    }
}

void KubeStore::stop() {
    State& state = *state_;
    if (!std::exchange(state.started, false)) {
        return;
    }
    state.workloads.stop();
    state.reactor.post([&state] {
        asio::co_spawn(state.reactor.io(), state.stop(), [](std::exception_ptr bug) {
            if (bug) {
                std::rethrow_exception(bug);
            }
        });
    });
    state.reactor.join();
    *state.listener = {};
}

}  // namespace ome::controller
