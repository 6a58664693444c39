#include "kube_workloads.hpp"

#include <ome/core/deadline.hpp>
#include <ome/core/dns_name.hpp>
#include <ome/kube/access.hpp>
#include <ome/kube/client.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/reactor.hpp>
#include <ome/net/small_file.hpp>
#include <ome/net/task_scope.hpp>
#include <ome/routing/home_addresses.hpp>
#include <ome/wire/published_object_document.hpp>

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;

constexpr core::Duration request_timeout = std::chrono::seconds(10);
constexpr core::Duration step_timeout = std::chrono::seconds(5);
// How long a cluster that was not reached is not tried again.
constexpr core::Duration rest = std::chrono::seconds(5);
constexpr std::size_t at_once = 4;  // of one cluster

// A query on its way.
struct Pending {
    news::AddressesAre answer;
    std::size_t missing = 0;
};

// One home of it.
struct Job {
    std::shared_ptr<Pending> pending;
    std::string host;
};

struct Cluster {
    std::string name;
    std::string signature;  // of the file; empty: there is none
    core::Problem problem;  // why there is no client
    std::shared_ptr<kube::Client> client;
    std::optional<core::SteadyTime> resting_until;
    std::string trouble;  // of the last time
    std::deque<Job> waiting;
    std::size_t running = 0;
};

}  // namespace

struct KubeWorkloads::State {
    State(std::string where, Answer whom)
        : folder(std::move(where)),
          answer(std::move(whom)),
          reactor("workloads"),
          tasks(reactor.io()) {}

    void begin(const AddressQuery& query);
    void begin_some(Cluster& cluster);
    void read_access(Cluster& cluster);
    net::Awaitable<void> carry_out(Cluster& cluster, Job job);
    net::Awaitable<routing::WorkloadCluster> look(Cluster& cluster, core::ServiceKey source);
    void give_up(Cluster& cluster, const kube::Failure& failure);
    void finish(const Cluster& cluster, const Job& job, const routing::WorkloadCluster* workload);
    void fail(const Cluster& cluster, const Job& job, const core::Problem& why);
    net::Awaitable<void> stop();

    std::string folder;
    Answer answer;
    net::Reactor reactor;
    std::map<std::string, Cluster> clusters;
    bool stopping = false;
    net::TaskScope tasks;
};

void KubeWorkloads::State::finish(const Cluster& cluster,
                                  const Job& job,
                                  const routing::WorkloadCluster* workload) {
    Pending& pending = *job.pending;
    pending.answer.addresses.emplace(
        cluster.name,
        routing::resolve_addresses(cluster.name, pending.answer.source, job.host, workload));
    if (--pending.missing == 0 && !stopping) {
        answer(std::move(pending.answer));
    }
}

// The route is what is read first.
void KubeWorkloads::State::fail(const Cluster& cluster, const Job& job, const core::Problem& why) {
    routing::WorkloadCluster workload;
    workload.routes.emplace(job.pending->answer.source, why);
    finish(cluster, job, &workload);
}

void KubeWorkloads::State::read_access(Cluster& cluster) {
    // The name makes a path.
    const bool usable = !folder.empty() && core::is_dns_subdomain(cluster.name);
    const std::string path = fmt::format("{}/{}.yaml", folder, cluster.name);
    std::string signature = usable ? net::file_signature(path) : std::string();
    if (signature == cluster.signature) {
        return;
    }
    cluster.signature = std::move(signature);
    cluster.client.reset();
    cluster.resting_until.reset();
    if (cluster.signature.empty()) {
        return;
    }
    auto access = kube::kubeconfig_access({path}, "");
    if (!access) {
        cluster.problem = access.error();
        return;
    }
    kube::ClientSettings settings;
    settings.request_timeout = request_timeout;
    settings.step_timeout = step_timeout;
    settings.most_connections = at_once;
    cluster.client = std::make_shared<kube::Client>(reactor.io(), *std::move(access), settings);
}

void KubeWorkloads::State::give_up(Cluster& cluster, const kube::Failure& failure) {
    const bool away = failure.kind == kube::Failure::Kind::Unreachable ||
                      failure.kind == kube::Failure::Kind::Login;
    if (!away) {
        return;
    }
    cluster.resting_until = core::later(net::read_clock().steady, rest);
    cluster.trouble = failure.message;
    for (const Job& job : std::exchange(cluster.waiting, {})) {
        fail(cluster, job, {failure.message});
    }
}

net::Awaitable<routing::WorkloadCluster> KubeWorkloads::State::look(Cluster& cluster,
                                                                    core::ServiceKey source) {
    routing::WorkloadCluster workload;
    const std::shared_ptr<kube::Client> client = cluster.client;
    const auto found = co_await client->get(object_path(kube::http_routes, source.ns, source.name));
    if (!found) {
        give_up(cluster, found.error());
        workload.routes.emplace(source, core::Problem{found.error().message});
        co_return workload;
    }
    const auto route = wire::read_serving_route(*found);
    workload.routes.emplace(source, route);
    if (!route) {
        co_return workload;
    }
    for (const routing::GatewayParent& parent : route->parents) {
        const core::ServiceKey key{parent.ns.value_or(source.ns), parent.name};
        if (workload.gateways.contains(key)) {
            continue;
        }
        const auto gateway = co_await client->get(object_path(kube::gateways, key.ns, key.name));
        if (gateway) {
            workload.gateways.emplace(key, wire::read_gateway_addresses(*gateway));
        } else {
            workload.gateways.emplace(key, core::Problem{gateway.error().message});
        }
    }
    co_return workload;
}

net::Awaitable<void> KubeWorkloads::State::carry_out(Cluster& cluster, Job job) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const core::ServiceKey source = job.pending->answer.source;
    const routing::WorkloadCluster workload = co_await look(cluster, source);
    finish(cluster, job, &workload);
    --cluster.running;
    begin_some(cluster);
}

void KubeWorkloads::State::begin_some(Cluster& cluster) {
    while (!stopping && cluster.running < at_once && !cluster.waiting.empty()) {
        Job job = std::move(cluster.waiting.front());
        cluster.waiting.pop_front();
        read_access(cluster);
        if (cluster.signature.empty()) {
            finish(cluster, job, nullptr);
        } else if (cluster.client == nullptr) {
            fail(cluster, job, cluster.problem);
        } else if (cluster.resting_until && net::read_clock().steady < *cluster.resting_until) {
            fail(cluster, job, {cluster.trouble});
        } else {
            ++cluster.running;
            tasks.spawn(carry_out(cluster, std::move(job)));
        }
    }
}

void KubeWorkloads::State::begin(const AddressQuery& query) {
    const auto pending = std::make_shared<Pending>();
    pending->answer.source = query.source;
    pending->missing = query.hosts.size();
    if (query.hosts.empty()) {
        answer(std::move(pending->answer));
        return;
    }
    for (const auto& [name, host] : query.hosts) {
        Cluster& cluster = clusters[name];
        cluster.name = name;
        cluster.waiting.push_back({pending, host});
        begin_some(cluster);
    }
}

net::Awaitable<void> KubeWorkloads::State::stop() {
    co_await asio::this_coro::throw_if_cancelled(false);
    stopping = true;
    for (auto& [name, cluster] : clusters) {
        if (cluster.client != nullptr) {
            cluster.client->stop();
        }
    }
    co_await tasks.stop();
    clusters.clear();
    reactor.stop();
}

KubeWorkloads::KubeWorkloads(std::string folder, Answer answer)
    : state_(std::make_unique<State>(std::move(folder), std::move(answer))) {
    state_->reactor.start();
}

KubeWorkloads::~KubeWorkloads() {
    stop();
}

void KubeWorkloads::submit(AddressQuery query) {
    state_->reactor.post([state = state_.get(), query = std::move(query)] { state->begin(query); });
}

void KubeWorkloads::stop() {
    State& state = *state_;
    state.reactor.post([&state] {
        if (!state.stopping) {
            asio::co_spawn(state.reactor.io(), state.stop(), [](std::exception_ptr bug) {
                if (bug) {
                    std::rethrow_exception(bug);
                }
            });
        }
    });
    state.reactor.join();
}

}  // namespace ome::controller
