#include "kube_store.hpp"

#include "kube_complaints.hpp"
#include "kube_following.hpp"
#include "kube_objects.hpp"
#include "kube_rights.hpp"
#include "kube_sourceless_maps.hpp"
#include "kube_troubles.hpp"
#include "kube_workloads.hpp"
#include "kube_writer.hpp"
#include "store_teller.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/kube/elector.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/reactor.hpp>
#include <ome/net/task_scope.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

constexpr core::Duration last_writes = std::chrono::seconds(5);

}  // namespace

// Of the store's own reactor, but for what the teller does on the user's thread.
struct KubeStore::State {
    State(asio::io_context& user, kube::Access access, KubeStoreSettings chosen)
        : settings(std::move(chosen)),
          reactor("kube-store"),
          teller(reactor.io(), user),
          client(reactor.io(), std::move(access), client_settings()),
          rights(reactor.io(), client, settings.publishes, [this] { tell_state(); }),
          elector(reactor.io(),
                  client,
                  settings.lease_namespace,
                  settings.lease_name,
                  settings.election,
                  {[this](bool now) { take_lead(now); },
                   [this](const kube::Failure& failure) { complaints.trouble("lease", failure); },
                   [this](const kube::LeaseRecord* record) { take_lease(record); }}),
          writer(reactor.io(),
                 {client,
                  [this] { return leading ? elector.leads_until() : std::nullopt; },
                  [this](StoreResult result) { teller.tell(std::move(result)); },
                  [this](PublicationResult result) { take(std::move(result)); },
                  [this](const core::ServiceKey& key, const std::string& version) {
                      following.map_stored(key, version);
                  },
                  [this](const routing::ObjectKey& key, const std::string& version) {
                      objects.stored(key, version);
                  },
                  [this](const core::ServiceKey& key, bool now) {
                      following.map_is_written(key, now);
                  },
                  [this](const kube::Failure& failure) { complaints.trouble("Event", failure); }},
                 settings.election.identity,
                 settings.writes_at_once),
          following(reactor.io(),
                    client,
                    settings.selector,
                    {[this](StoreNews one) { take(std::move(one)); },
                     [this] { look_whether_listed(); },
                     [this] { tell_state(); },
                     [this](const std::string& problem) { complaints.trouble("watch", problem); }}),
          objects(reactor.io(),
                  client,
                  {[this](StoreNews one) { take(std::move(one)); },
                   [this] { look_whether_listed(); },
                   [this](const kube::Failure& failure) { complaints.trouble("watch", failure); },
                   [this] { tell_state(); }},
                  settings.needed_kinds),
          sourceless({reactor.io(),
                      client,
                      [this](const core::ServiceKey& key) { return following.knows_service(key); },
                      [this](const core::ServiceKey& key) { take(news::ServiceGone{key}); }}),
          workloads(settings.workload_kubeconfigs,
                    [this](news::AddressesAre answer) {
                        reactor.post([this, answer = std::move(answer)]() mutable {
                            take(StoreNews(std::move(answer)));
                        });
                    }),
          tasks(reactor.io()) {}

    [[nodiscard]] kube::ClientSettings client_settings();
    void take_lease(const kube::LeaseRecord* record);
    [[nodiscard]] std::optional<core::WallTime> valid_until(const kube::LeaseRecord& record) const;
    void tell_state();
    void take_lead(bool now);
    net::Awaitable<void> change_lead();
    net::Awaitable<void> stop_following();
    void begin_lead();
    void follow_all();
    void look_whether_listed();
    void take(StoreNews one);
    void take(PublicationResult result);
    void take(std::vector<StoreRequest> requests);
    net::Awaitable<void> stop();

    KubeStoreSettings settings;
    KubeComplaints complaints{net::read_clock};
    KubeTroubles troubles;
    std::optional<LeaseSeen> lease;
    net::Reactor reactor;
    StoreTeller teller;
    kube::Client client;
    KubeRights rights;
    kube::Elector elector;
    KubeWriter writer;
    KubeFollowing following;
    KubeObjects objects;
    KubeSourcelessMaps sourceless;
    KubeWorkloads workloads;
    bool elected = false;    // what the elector says
    bool leading = false;    // and when that has been acted on
    bool changing = false;   // change_lead() is under way
    std::uint64_t lead = 0;  // counts them
    bool listed = false;
    bool started = false;  // of the user's thread
    bool stopping = false;
    net::TaskScope tasks;
};

kube::ClientSettings KubeStore::State::client_settings() {
    kube::ClientSettings made;
    made.answered = [this](const std::string& method,
                           const std::string& target,
                           unsigned status,
                           const kube::Failure* refusal) {
        troubles.heard(method, target, status, refusal, net::read_clock());
        rights.heard(method, target, status, refusal);
    };
    made.unanswered =
        [this](const std::string& method, const std::string& target, const kube::Failure& failure) {
            troubles.unanswered(method, target, failure, net::read_clock());
            tell_state();
        };
    made.warned = [this](const std::string& request, const std::string& warning) {
        complaints.warning(request, warning);
    };
    return made;
}

void KubeStore::State::take_lease(const kube::LeaseRecord* record) {
    lease.reset();
    if (record != nullptr) {
        lease = LeaseSeen{.name = settings.lease_namespace + "/" + settings.lease_name,
                          .holder = record->holder,
                          .ours = record->holder == settings.election.identity,
                          .since = record->acquire_time,
                          .renewed = record->renew_time,
                          .transitions = record->transitions,
                          .valid_until = valid_until(*record)};
    }
    tell_state();
}

// Our lead ends before the Lease does.
std::optional<core::WallTime> KubeStore::State::valid_until(const kube::LeaseRecord& record) const {
    if (record.holder == settings.election.identity) {
        const core::Now now = net::read_clock();
        const auto until = elector.leads_until();
        return until ? std::optional(now.wall + (*until - now.steady)) : std::nullopt;
    }
    const auto renewed = core::parse_timestamp(record.renew_time);
    return renewed && record.duration_seconds > 0
               ? std::optional(*renewed + std::chrono::seconds(record.duration_seconds))
               : std::nullopt;
}

// What is told in words of its own is not told in those of the server as well. Who does not lead
// waits for the Lease alone.
void KubeStore::State::tell_state() {
    StoreState now{lease, rights.needed(), {}};
    std::vector<StoreTrouble> own = following.troubles();
    const std::vector<StoreTrouble> kinds = objects.troubles();
    own.insert(own.end(), kinds.begin(), kinds.end());
    for (StoreTrouble& one : troubles.all(net::read_clock().steady)) {
        const bool told = std::any_of(own.begin(), own.end(), [&one](const auto& other) {
            return other.problem == one.problem;
        });
        if (!told && (leading || one.at == at_lease)) {
            now.troubles.push_back(std::move(one));
        }
    }
    if (leading) {
        now.troubles.insert(now.troubles.end(), own.begin(), own.end());
    }
    teller.tell(std::move(now));
}

// A lead ends at once, and begins when what was of the one before it is over.
void KubeStore::State::take_lead(bool now) {
    elected = now;
    if (!now) {
        leading = false;
        sourceless.drop();
        writer.drop();
        rights.lead_ended();
        teller.tell_lead(false, lead);
        tell_state();
    }
    if (!stopping && !std::exchange(changing, true)) {
        tasks.spawn(change_lead());
    }
}

net::Awaitable<void> KubeStore::State::stop_following() {
    co_await following.stop();
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
    troubles.lead_begins();
    listed = false;
    teller.tell_lead(true, lead);
    follow_all();
}

void KubeStore::State::follow_all() {
    const std::vector<std::string> all{""};
    const auto& namespaces = settings.namespaces.empty() ? all : settings.namespaces;
    following.follow(namespaces);
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
    const bool settled = settings.reads_only || objects.settled();
    if (leading && following.whole() && settled && !std::exchange(listed, true)) {
        take(news::Listed{});
        sourceless.listed();
    }
}

void KubeStore::State::take(StoreNews one) {
    if (leading) {
        sourceless.hear(one);
        teller.tell(std::move(one));
    }
}

void KubeStore::State::take(PublicationResult result) {
    objects.look_at(result);
    teller.tell(std::move(result));
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

// The lease last: whoever comes next finds everything written.
net::Awaitable<void> KubeStore::State::stop() {
    co_await asio::this_coro::throw_if_cancelled(false);
    stopping = true;
    co_await rights.stop();
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
    state.teller.start(std::move(listener));
    state.started = true;
    state.reactor.post([&state] {
        state.rights.start();
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
                          lead = state_->teller.lead(),
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
    state.teller.stop();
}

}  // namespace ome::controller
