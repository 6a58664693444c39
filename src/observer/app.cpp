#include "app.hpp"

#include "api.hpp"
#include "api_guard.hpp"
#include "hub.hpp"
#include "permit_desk.hpp"
#include "proxy_environment.hpp"
#include "services_file.hpp"
#include "settings_options.hpp"
#include "shard.hpp"
#include "trust_keeper.hpp"
#include <ome/net/clock.hpp>
#include <ome/net/reactor.hpp>
#include <ome/net/task_scope.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <atomic>
#include <csignal>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;
namespace asio = net::asio;
namespace log = telemetry::log;

// Requests that are being answered at shutdown get this long to finish.
constexpr core::Duration shutdown_grace = 2s;

// How often files that may change while we run are looked at.
constexpr core::Duration file_check_interval = 2s;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

/// One reactor and what lives on it, in order of construction.
struct ReactorSide {
    explicit ReactorSide(std::size_t index) : reactor(fmt::format("ome-reactor-{}", index)) {}

    net::Reactor reactor;
    std::unique_ptr<net::Client> client;
    std::unique_ptr<Shard> shard;
};

net::ClientSettings client_settings(const Settings& settings,
                                    core::ProxyRules proxies,
                                    std::shared_ptr<const net::Trust> trust) {
    return {
        .deny_addresses = settings.deny_addresses,
        .allow_loopback = settings.allow_loopback,
        .proxies = std::move(proxies),
        .trust = std::move(trust),
        .dns_servers = settings.dns_servers,
        .resolv_conf = settings.resolv_conf,
        .max_idle_connections = settings.max_idle_connections / settings.reactors,
        .connection_max_age = settings.connection_max_age,
    };
}

HubSettings hub_settings(const Settings& settings) {
    HubSettings chosen;
    chosen.declaration_ttl =
        settings.services_file.empty() ? settings.declaration_ttl : core::Duration::zero();
    chosen.most_watches = settings.api_max_watches;
    return chosen;
}

ShardSettings shard_settings(const Settings& settings, std::size_t index, Recorder* recorder) {
    return {
        .index = index,
        .min_period = settings.limits.min_period,
        .grid = settings.grid,
        .max_response_bytes = static_cast<std::size_t>(settings.limits.max_response_bytes),
        .fresh_probes = !settings.reuse_probe_connections,
        .alone = settings.reactors == 1,
        .recorder = recorder,
    };
}

}  // namespace

struct App::State {
    explicit State(const Settings& chosen)
        : settings(chosen),
          limits(chosen.limits),
          keep_running(api_io.get_executor()),
          tasks(api_io),
          signals(api_io.get_executor()) {}

    std::optional<core::Problem> start_recording();
    std::optional<core::Problem> build_reactors();
    std::optional<core::Problem> build_api();
    std::optional<core::Problem> load_services();

    void wait_for_signal();
    net::Awaitable<void> apply_services(std::vector<core::ServiceDeclaration> declared);
    net::Awaitable<void> reload();
    net::Awaitable<void> watch_files();
    void look_at_guard();
    net::Awaitable<net::ServerResponse> answer_admitted(net::ServerRequest request);
    net::Awaitable<void> watch_lease();
    net::Awaitable<void> shut_down();
    net::HttpServerSettings server_settings(const net::ListenAddress& listen) const;

    Settings settings;
    core::ObserverLimits limits;
    ReadLimits read_limits;
    asio::io_context api_io{1};
    asio::executor_work_guard<net::Executor> keep_running;
    std::unique_ptr<Recorder> recorder;  ///< outlives the reactors, which offer to it
    std::vector<std::unique_ptr<ReactorSide>> reactors;
    std::unique_ptr<TrustKeeper> trust_keeper;
    std::unique_ptr<PermitDesk> desk;
    std::unique_ptr<Hub> hub;
    std::unique_ptr<ApiContext> context;
    std::unique_ptr<ApiGuard> guard;
    std::unique_ptr<net::HttpServer> server;
    std::unique_ptr<net::HttpServer> health_server;
    std::vector<core::ServiceDeclaration> first_services;
    net::TaskScope tasks;
    asio::basic_signal_set<net::Executor> signals;
    bool ready = false;
    bool stopping = false;
};

std::optional<core::Problem> App::State::start_recording() {
    if (settings.record_file.empty()) {
        return std::nullopt;
    }
    auto started = Recorder::start(settings.record_file, settings.record_max_bytes);
    if (!started) {
        return started.error();
    }
    recorder = std::move(*started);
    return std::nullopt;
}

std::optional<core::Problem> App::State::build_reactors() {
    trust_keeper = std::make_unique<TrustKeeper>(
        settings, [this](const std::shared_ptr<const net::Trust>& trust) {
            for (const auto& side : reactors) {
                side->reactor.post(
                    [client = side->client.get(), trust] { client->set_trust(trust); });
            }
        });
    const auto trust = trust_keeper->begin();
    if (!trust) {
        return trust.error();
    }
    const auto proxies = proxy_rules(settings, process_environment());
    if (!proxies) {
        return proxies.error();
    }
    if (settings.proxy_from_environment) {
        log::info("proxies of the environment apply", {{"proxies", proxies->shown()}});
    }
    std::vector<ShardAddress> addresses;
    for (std::size_t i = 0; i < settings.reactors; ++i) {
        auto side = std::make_unique<ReactorSide>(i);
        auto client =
            net::Client::create(side->reactor.io(), client_settings(settings, *proxies, *trust));
        if (!client) {
            return client.error();
        }
        side->client = std::move(*client);
        auto announce = [this](ShardNews news) {
            asio::post(api_io, [this, news = std::move(news)] { hub->announce(news); });
        };
        auto report = [this](const core::PermitReport& said) { desk->report(said); };
        side->shard = std::make_unique<Shard>(side->reactor.io(),
                                              *side->client,
                                              shard_settings(settings, i, recorder.get()),
                                              std::move(announce),
                                              std::move(report));
        addresses.push_back({&side->reactor.io(), side->shard.get()});
        reactors.push_back(std::move(side));
    }
    auto deliver = [this](const core::Allowance& allowance) {
        ReactorSide& side = *reactors[allowance.reactor];
        side.reactor.post([&side, allowance] { side.shard->allow(allowance); });
    };
    desk = std::make_unique<PermitDesk>(
        reactors.front()->reactor.io(), settings.reactors, limits.max_concurrent_requests, deliver);
    for (const core::Allowance& allowance : desk->initial()) {
        deliver(allowance);
    }
    hub = std::make_unique<Hub>(std::move(addresses), hub_settings(settings));
    return std::nullopt;
}

net::HttpServerSettings App::State::server_settings(const net::ListenAddress& listen) const {
    net::HttpServerSettings chosen;
    chosen.listen = net::to_string(listen);
    chosen.allowed_hosts = settings.allowed_hosts;
    chosen.max_connections = settings.api_max_connections;
    chosen.request_timeout = settings.api_request_timeout;
    chosen.idle_timeout = settings.api_idle_timeout;
    chosen.write_timeout = settings.api_write_timeout;
    chosen.on_fault = [](std::string fault) {
        log::error("fault in the local API", {{"fault", fault}});
    };
    return chosen;
}

std::optional<core::Problem> App::State::build_api() {
    context = std::make_unique<ApiContext>(ApiContext{
        .hub = *hub,
        .settings = settings,
        .limits = [this] { return limits; },
        .ready = [this] { return ready && !stopping; },
        .reactor_busy_seconds =
            [this] {
                std::vector<double> busy;
                for (const auto& side : reactors) {
                    busy.push_back(std::chrono::duration<double>(side->reactor.busy()).count());
                }
                return busy;
            },
        .recorder = recorder.get(),
        .started = net::read_clock(),
        .fixed_services = !settings.services_file.empty(),
    });
    auto problem_answer = [this](unsigned status, std::string message) {
        return error_answer(*context, status, {std::move(message)});
    };
    guard = std::make_unique<ApiGuard>(settings);
    if (auto problem = guard->begin()) {
        return problem;
    }
    net::HttpServerSettings api = server_settings(settings.listen);
    api.tls = guard->tls();
    auto made = net::HttpServer::create(
        api_io,
        api,
        [this](net::ServerRequest request) { return answer_admitted(std::move(request)); },
        problem_answer);
    if (!made) {
        return made.error();
    }
    server = std::move(*made);
    if (!settings.health_listen) {
        return std::nullopt;
    }
    // The kubelet and Prometheus dial the pod's address, so no Host check here (design.md section
    // 4).
    net::HttpServerSettings health = server_settings(*settings.health_listen);
    health.check_host = false;
    auto second = net::HttpServer::create(
        api_io,
        health,
        [this](net::ServerRequest request) {
            return answer_health(context.get(), std::move(request));
        },
        problem_answer);
    if (!second) {
        return second.error();
    }
    health_server = std::move(*second);
    return std::nullopt;
}

net::Awaitable<net::ServerResponse> App::State::answer_admitted(net::ServerRequest request) {
    if (guard->admits(request.header("authorization"))) {
        co_return co_await answer(context.get(), std::move(request));
    }
    core::Problem problem{"the header Authorization must show the token of --token-file"};
    net::ServerResponse refusal = error_answer(*context, 401, problem);
    refusal.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"ome-observer\"");
    co_return refusal;
}

std::optional<core::Problem> App::State::load_services() {
    if (settings.services_file.empty()) {
        return std::nullopt;
    }
    auto declared = read_services_file(settings.services_file, limits);
    if (!declared) {
        return declared.error();
    }
    first_services = std::move(*declared);
    return std::nullopt;
}

void App::State::wait_for_signal() {
    signals.async_wait([this](const boost::system::error_code& ec, int signal) {
        if (ec) {
            return;
        }
        if (signal == SIGHUP) {
            tasks.spawn(reload());
            wait_for_signal();
            return;
        }
        log::info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
        asio::co_spawn(api_io, shut_down(), [](std::exception_ptr bug) {
            if (bug) {
                std::rethrow_exception(bug);
            }
        });
    });
}

// The whole set: what the file does not name any more is forgotten.
net::Awaitable<void> App::State::apply_services(std::vector<core::ServiceDeclaration> declared) {
    std::vector<core::ServiceKey> kept;
    std::size_t homes = 0;
    for (core::ServiceDeclaration& declaration : declared) {
        kept.push_back(declaration.key);
        homes += declaration.homes.size();
        std::ignore = co_await hub->declare(std::move(declaration));
    }
    for (const core::ServiceKey& key : hub->keys()) {
        if (std::find(kept.begin(), kept.end(), key) == kept.end()) {
            co_await hub->forget(key);
        }
    }
    log::info("services declared",
              {{"file", settings.services_file},
               {"services", std::to_string(kept.size())},
               {"homes", std::to_string(homes)}});
}

net::Awaitable<void> App::State::reload() {
    log::info("reading the configuration again");
    const core::Result<core::ObserverLimits> again = read_limits();
    if (again) {
        if (again->max_concurrent_requests != limits.max_concurrent_requests) {
            log::info("request budget changed",
                      {{"before", limits.max_concurrent_requests},
                       {"now", again->max_concurrent_requests}});
        }
        limits = *again;
        desk->set_total(limits.max_concurrent_requests);
        hub->set_limits(limits.min_period, static_cast<std::size_t>(limits.max_response_bytes));
    } else {
        log::error("configuration kept as it was", {{"problem", again.error().message}});
    }
    trust_keeper->reload();
    look_at_guard();
    if (settings.services_file.empty()) {
        co_return;
    }
    auto declared = read_services_file(settings.services_file, limits);
    if (declared) {
        co_await apply_services(std::move(*declared));
    } else {
        log::error("services kept as they were", {{"problem", declared.error().message}});
    }
}

// Certificates and keys are replaced while we run, and nobody sends a signal for that.
net::Awaitable<void> App::State::watch_files() {
    co_await asio::this_coro::throw_if_cancelled(false);
    Timer timer(api_io);
    while (!stopping) {
        timer.expires_after(file_check_interval);
        std::ignore = co_await timer.async_wait(net::as_result);
        if (!stopping) {
            trust_keeper->look();
            look_at_guard();
        }
    }
}

void App::State::look_at_guard() {
    if (auto tls = guard->look()) {
        server->set_tls(std::move(tls));
    }
}

// Looks often enough that a lease ends at most a quarter late.
net::Awaitable<void> App::State::watch_lease() {
    const core::Duration interval = std::min<core::Duration>(settings.declaration_ttl / 4, 1s);
    Timer timer(api_io);
    for (;;) {
        timer.expires_after(interval);
        const auto [ended] = co_await timer.async_wait(net::as_result);
        if (ended) {
            co_return;
        }
        std::ignore = co_await hub->end_expired_lease();
    }
}

net::Awaitable<void> App::State::shut_down() {
    stopping = true;
    co_await tasks.stop();
    hub->watches().close();
    co_await server->stop(shutdown_grace);
    if (health_server) {
        co_await health_server->stop(0s);
    }
    for (const auto& side : reactors) {
        co_await asio::co_spawn(
            side->reactor.io(), side->shard->stop(), asio::use_awaitable_t<net::Executor>{});
        co_await asio::co_spawn(
            side->reactor.io(), side->client->stop(), asio::use_awaitable_t<net::Executor>{});
    }
    keep_running.reset();
}

App::App(std::unique_ptr<State> state) : state_(std::move(state)) {}

App::~App() {
    for (const auto& side : state_->reactors) {
        side->reactor.stop();
        side->reactor.join();
    }
}

core::Result<std::unique_ptr<App>> App::create(const Settings& settings, ReadLimits read_limits) {
    auto state = std::make_unique<State>(settings);
    state->read_limits = std::move(read_limits);
    for (auto step : {&State::start_recording,
                      &State::build_reactors,
                      &State::build_api,
                      &State::load_services}) {
        if (std::optional<core::Problem> problem = ((*state).*step)()) {
            return *problem;
        }
    }
    return std::unique_ptr<App>(new App(std::move(state)));
}

void App::run() {
    State& state = *state_;
    for (const auto& side : state.reactors) {
        side->reactor.start();
    }
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        state.signals.add(signal);
    }
    state.wait_for_signal();
    state.server->start();
    if (state.health_server) {
        state.health_server->start();
    }
    state.tasks.spawn(state.watch_files());
    state.ready = true;
    log::info("serving",
              {{"version", OME_VERSION},
               {"listen", state.server->address()},
               {"instance", state.hub->instance()},
               {"reactors", std::to_string(state.settings.reactors)}});
    if (!state.settings.services_file.empty()) {
        state.tasks.spawn(state.apply_services(std::move(state.first_services)));
    }
    if (state.settings.services_file.empty() &&
        state.settings.declaration_ttl > core::Duration::zero()) {
        state.tasks.spawn(state.watch_lease());
    }
    state.api_io.run();
    log::info("stopped");
}

}  // namespace ome::observer
