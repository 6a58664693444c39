#include "kube_store.hpp"

#include "kube_mirror.hpp"
#include "kube_objects.hpp"
#include "kube_sourceless_maps.hpp"
#include "kube_workloads.hpp"
#include "kube_writer.hpp"
#include "missing_rights.hpp"
#include "right_log.hpp"
#include <ome/kube/elector.hpp>
#include <ome/kube/follower.hpp>
#include <ome/kube/right.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/reactor.hpp>
#include <ome/net/task_scope.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/telemetry/repeat_limiter.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;
namespace log = telemetry::log;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

constexpr core::Duration rights_pause = std::chrono::seconds(5);
constexpr std::size_t rights_at_once = 20;
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
    std::string ns;            // empty: all
    std::string trouble = {};  // why it could not be listed yet; empty: it was
    KubeMirror mirror;
    kube::Follower follower;
};

// What is missing, where the server's own words do not say what to do about it.
std::string explained(const kube::Resource& followed, const kube::Failure& failure) {
    if (!failure.not_found()) {
        return failure.message;
    }
    return fmt::format("the API server has no type {}.{} of version {}: install the CRDs first",
                       followed.plural,
                       followed.group,
                       followed.version);
}

}  // namespace

// Everything but `to` and `told` is of the store's own reactor.
struct KubeStore::State {
    State(asio::io_context& user, kube::Access access, KubeStoreSettings chosen)
        : to(user),
          settings(std::move(chosen)),
          reactor("kube-store"),
          client(reactor.io(), std::move(access), client_settings()),
          elector(reactor.io(),
                  client,
                  settings.lease_namespace,
                  settings.lease_name,
                  settings.election,
                  {[this](bool now) { take_lead(now); },
                   [this](const kube::Failure& failure) { tell_trouble("lease", failure); },
                   [this](const kube::LeaseRecord* record) { take_lease(record); }}),
          writer(reactor.io(),
                 {client,
                  [this] { return leading ? elector.leads_until() : std::nullopt; },
                  [this](StoreResult result) { tell(std::move(result)); },
                  [this](PublicationResult result) { tell(std::move(result)); },
                  [this](const core::ServiceKey& key, const std::string& version) {
                      note_stored(key, version);
                  },
                  [this](const routing::ObjectKey& key, const std::string& version) {
                      objects.stored(key, version);
                  },
                  [this](const core::ServiceKey& key, bool now) { note_being_written(key, now); },
                  [this](const kube::Failure& failure) { tell_trouble("Event", failure); }},
                 settings.election.identity,
                 settings.writes_at_once),
          objects(reactor.io(),
                  client,
                  {[this](StoreNews one) { tell(std::move(one)); },
                   [this] { look_whether_listed(); },
                   [this](const kube::Failure& failure) { tell_trouble("watch", failure); }}),
          sourceless({reactor.io(),
                      client,
                      [this](const core::ServiceKey& key) { return knows_service(key); },
                      [this](const core::ServiceKey& key) { tell(news::ServiceGone{key}); }}),
          workloads(settings.workload_kubeconfigs,
                    [this](news::AddressesAre answer) {
                        reactor.post([this, answer = std::move(answer)]() mutable {
                            tell(StoreNews(std::move(answer)));
                        });
                    }),
          tasks(reactor.io()) {}

    [[nodiscard]] kube::ClientSettings client_settings();
    void hear_answer(const std::string& method,
                     const std::string& target,
                     unsigned status,
                     const kube::Failure* refusal);
    void take_right(const MissingRights::Change& change);
    net::Awaitable<void> ask_for_rights();
    void take_lease(const kube::LeaseRecord* record);
    void tell_state();
    void take_lead(bool now);
    void tell_lead();
    net::Awaitable<void> change_lead();
    net::Awaitable<void> stop_following();
    void begin_lead();
    void follow_all();
    void follow(KubeMirror::Of what, const std::string& ns);
    void note_trouble(Followed& one, std::string problem);
    void look_whether_listed();
    void note_stored(const core::ServiceKey& key, const std::string& version);
    void note_being_written(const core::ServiceKey& key, bool now);
    [[nodiscard]] KubeMirror* mirror_of(KubeMirror::Of what, const std::string& ns);
    [[nodiscard]] bool knows_service(const core::ServiceKey& key);
    void take(std::vector<StoreRequest> requests);
    void tell(StoreNews one);
    void tell(StoreResult result);
    void tell(PublicationResult result);
    void flush();
    void tell_trouble(const char* where, const kube::Failure& failure);
    void tell_trouble(const char* where, const std::string& problem);
    void tell_warning(const std::string& request, const std::string& warning);
    net::Awaitable<void> stop();

    // Shared with what was posted to the user's thread, and used there alone.
    struct Told {
        Listener listener;
        std::uint64_t lead = 0;  // the one that the user knows of
    };

    asio::io_context& to;
    std::shared_ptr<Told> told;
    KubeStoreSettings settings;
    MissingRights rights{settings.publishes};
    std::optional<LeaseSeen> lease;
    StoreState shown;
    net::Reactor reactor;
    kube::Client client;
    kube::Elector elector;
    KubeWriter writer;
    KubeObjects objects;
    KubeSourcelessMaps sourceless;
    KubeWorkloads workloads;
    std::vector<std::unique_ptr<Followed>> followed;
    std::vector<StoreNews> news;
    bool elected = false;    // what the elector says
    bool leading = false;    // and when that has been acted on
    bool changing = false;   // change_lead() is under way
    std::uint64_t lead = 0;  // counts them
    bool flushing = false;
    bool listed = false;
    bool started = false;
    bool stopping = false;
    telemetry::RepeatLimiter complaints{std::chrono::minutes(1)};
    net::TaskScope tasks;
};

kube::ClientSettings KubeStore::State::client_settings() {
    kube::ClientSettings made;
    made.answered = [this](const std::string& method,
                           const std::string& target,
                           unsigned status,
                           const kube::Failure* refusal) {
        hear_answer(method, target, status, refusal);
    };
    made.warned = [this](const std::string& request, const std::string& warning) {
        tell_warning(request, warning);
    };
    return made;
}

void KubeStore::State::hear_answer(const std::string& method,
                                   const std::string& target,
                                   unsigned status,
                                   const kube::Failure* refusal) {
    take_right(rights.heard(method, target, status, refusal, net::read_clock()));
}

void KubeStore::State::take_right(const MissingRights::Change& change) {
    log_right(change);
    tell_state();
}

// What was refused is tried again after pauses that grow: somebody has to notice before that it is
// not refused any more.
net::Awaitable<void> KubeStore::State::ask_for_rights() {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!stopping) {
        Timer timer(reactor.io().get_executor());
        timer.expires_after(rights_pause);
        std::ignore = co_await timer.async_wait(net::as_result);
        const std::vector<kube::Right> all = rights.to_ask_for(rights_at_once);
        for (const kube::Right& right : all) {
            if (stopping) {
                break;
            }
            auto review = co_await client.create(
                kube::access_review_path, kube::access_review(right), std::string());
            if (review && kube::allows(*review)) {
                take_right(rights.given(right));
            }
        }
    }
}

void KubeStore::State::take_lease(const kube::LeaseRecord* record) {
    lease.reset();
    if (record != nullptr) {
        lease = LeaseSeen{.name = settings.lease_namespace + "/" + settings.lease_name,
                          .holder = record->holder,
                          .ours = record->holder == settings.election.identity,
                          .since = record->acquire_time,
                          .renewed = record->renew_time,
                          .transitions = record->transitions};
    }
    tell_state();
}

void KubeStore::State::tell_state() {
    StoreState now{lease, rights.needed(net::read_clock().steady), {}};
    for (const auto& one : followed) {
        if (now.trouble.empty()) {
            now.trouble = one->trouble;
        }
    }
    if (now == shown) {
        return;
    }
    shown = now;
    asio::post(to, [whom = told, now = std::move(now)]() mutable {
        if (whom->listener.state) {
            whom->listener.state(std::move(now));
        }
    });
}

// A lead ends at once, and begins when what was of the one before it is over.
void KubeStore::State::take_lead(bool now) {
    elected = now;
    if (!now) {
        leading = false;
        news.clear();
        sourceless.drop();
        writer.drop();
        rights.lead_ended();
        tell_lead();
    }
    if (!stopping && !std::exchange(changing, true)) {
        tasks.spawn(change_lead());
    }
}

void KubeStore::State::tell_lead() {
    asio::post(to, [whom = told, now = leading, number = lead] {
        whom->lead = number;
        if (whom->listener.leading) {
            whom->listener.leading(now);
        }
    });
}

net::Awaitable<void> KubeStore::State::stop_following() {
    for (const auto& one : followed) {
        co_await one->follower.stop();
    }
    followed.clear();
    co_await objects.stop();
}

net::Awaitable<void> KubeStore::State::change_lead() {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await stop_following();
    while (elected && !stopping && !writer.idle()) {
        Timer timer(reactor.io().get_executor());
        timer.expires_after(std::chrono::milliseconds(5));
        std::ignore = co_await timer.async_wait(net::as_result);
    }
    changing = false;
    if (elected && !stopping) {
        begin_lead();
    }
}

void KubeStore::State::begin_lead() {
    ++lead;
    leading = true;
    listed = false;
    tell_lead();
    follow_all();
}

void KubeStore::State::follow(KubeMirror::Of what, const std::string& ns) {
    const bool services = what == KubeMirror::Of::Services;
    kube::FollowTarget target;
    target.collection =
        collection_path(services ? kube::inference_services : kube::traffic_maps, ns);
    target.label_selector = services ? settings.selector : "";
    KubeMirror::Listener heard;
    heard.news = [this](StoreNews one) { tell(std::move(one)); };
    const std::size_t mine = followed.size();
    heard.listed = [this, mine] {
        note_trouble(*followed[mine], {});
        look_whether_listed();
    };
    heard.troubled = [this, services, mine](const kube::Failure& failure, core::Duration) {
        const std::string problem =
            explained(services ? kube::inference_services : kube::traffic_maps, failure);
        if (kube::lacks_right(failure)) {
            return;
        }
        note_trouble(*followed[mine], problem);
        tell_trouble("watch", problem);
    };
    heard.silent = [what = target.collection] {
        log::debug("a watch was silent, listing again", {{"at", what}});
    };
    followed.push_back(std::make_unique<Followed>(
        reactor.io(), client, what, ns, std::move(target), std::move(heard)));
    followed.back()->follower.start();
}

// Of a list: what a watch cannot tell for a while is no reason to wait.
void KubeStore::State::note_trouble(Followed& one, std::string problem) {
    if (one.trouble != problem && (problem.empty() || !one.mirror.has_list())) {
        one.trouble = std::move(problem);
        tell_state();
    }
}

void KubeStore::State::follow_all() {
    const std::vector<std::string> all{""};
    const auto& namespaces = settings.namespaces.empty() ? all : settings.namespaces;
    for (const std::string& ns : namespaces) {
        follow(KubeMirror::Of::Services, ns);
        follow(KubeMirror::Of::Maps, ns);
    }
    if (settings.reads_only) {
        return;
    }
    std::vector<std::string> with_objects = namespaces;
    const std::string& routes = settings.route_namespace;
    const bool more = !settings.namespaces.empty() && !routes.empty() &&
                      std::find(namespaces.begin(), namespaces.end(), routes) == namespaces.end();
    if (more) {
        with_objects.push_back(routes);
    }
    objects.follow(with_objects, settings.all_routes ? all : with_objects);
}

void KubeStore::State::look_whether_listed() {
    // While following begins or ends there may be nothing of it, which is no whole list.
    const bool whole =
        !followed.empty() && std::all_of(followed.begin(), followed.end(), [](const auto& one) {
            return one->mirror.has_list();
        });
    const bool settled = settings.reads_only || objects.settled();
    if (leading && whole && settled && !std::exchange(listed, true)) {
        tell(news::Listed{});
        sourceless.listed();
    }
}

bool KubeStore::State::knows_service(const core::ServiceKey& key) {
    const KubeMirror* services = mirror_of(KubeMirror::Of::Services, key.ns);
    return services != nullptr && services->knows(key);
}

KubeMirror* KubeStore::State::mirror_of(KubeMirror::Of what, const std::string& ns) {
    for (const auto& one : followed) {
        if (one->what == what && (one->ns.empty() || one->ns == ns)) {
            return &one->mirror;
        }
    }
    return nullptr;
}

void KubeStore::State::note_stored(const core::ServiceKey& key, const std::string& version) {
    if (KubeMirror* maps = mirror_of(KubeMirror::Of::Maps, key.ns); maps != nullptr) {
        maps->stored(key, version);
    }
}

void KubeStore::State::note_being_written(const core::ServiceKey& key, bool now) {
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

void KubeStore::State::take(std::vector<StoreRequest> requests) {
    std::vector<StoreRequest> writes;
    for (StoreRequest& request : requests) {
        if (auto* query = std::get_if<AddressQuery>(&request)) {
            workloads.submit(std::move(*query));
        } else {
            writes.push_back(std::move(request));
        }
    }
    writer.submit(std::move(writes));
}

// What comes in one turn is told together.
void KubeStore::State::tell(StoreNews one) {
    if (!leading) {
        return;
    }
    sourceless.hear(one);
    news.push_back(std::move(one));
    if (!std::exchange(flushing, true)) {
        asio::post(reactor.io(), [this] { flush(); });
    }
}

void KubeStore::State::flush() {
    flushing = false;
    if (news.empty()) {
        return;
    }
    asio::post(to, [whom = told, all = std::exchange(news, {})]() mutable {
        if (whom->listener.news) {
            whom->listener.news(std::move(all));
        }
    });
}

void KubeStore::State::tell(StoreResult result) {
    asio::post(to, [whom = told, result = std::move(result)]() mutable {
        if (whom->listener.results) {
            whom->listener.results({std::move(result)});
        }
    });
}

void KubeStore::State::tell(PublicationResult result) {
    objects.look_at(result);
    asio::post(to, [whom = told, result = std::move(result)]() mutable {
        if (whom->listener.published) {
            whom->listener.published({std::move(result)});
        }
    });
}

// A right that is missing is told already.
void KubeStore::State::tell_trouble(const char* where, const kube::Failure& failure) {
    if (!kube::lacks_right(failure)) {
        tell_trouble(where, failure.message);
    }
}

void KubeStore::State::tell_trouble(const char* where, const std::string& problem) {
    const auto verdict = complaints.admit(problem, net::read_clock().steady);
    if (verdict.tell) {
        log::warn("trouble with the API server",
                  {{"at", where}, {"problem", problem}, {"untold", verdict.untold}});
    }
}

// A type that lacks a field (of another release, say) drops it, and the write counts as done: only
// the warning tells.
void KubeStore::State::tell_warning(const std::string& request, const std::string& warning) {
    const auto verdict = complaints.admit(warning, net::read_clock().steady);
    if (verdict.tell) {
        log::warn("warning of the API server",
                  {{"request", request}, {"warning", warning}, {"untold", verdict.untold}});
    }
}

// The lease last: whoever comes next finds everything written.
net::Awaitable<void> KubeStore::State::stop() {
    co_await asio::this_coro::throw_if_cancelled(false);
    stopping = true;
    co_await tasks.stop();
    co_await sourceless.stop();
    co_await stop_following();
    co_await writer.stop(last_writes);
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
    state.told = std::make_shared<State::Told>();
    state.told->listener = std::move(listener);
    state.started = true;
    state.reactor.post([&state] {
        state.tasks.spawn(state.ask_for_rights());
        if (state.settings.reads_only) {
            state.take_lead(true);
        } else {
            state.elector.start();
        }
    });
    state.reactor.start();
}

void KubeStore::submit(std::vector<StoreRequest> requests) {
    if (requests.empty()) {
        return;
    }
    state_->reactor.post([state = state_.get(),
                          lead = state_->told->lead,
                          requests = std::move(requests)]() mutable {
        if (lead == state->lead) {
            state->take(std::move(requests));
        }
    });
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
    state.told->listener = {};
}

}  // namespace ome::controller
