#include "app_state.hpp"
#include "generations.hpp"
#include <ome/core/setting.hpp>
#include <ome/net/process_signals.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <tuple>
#include <utility>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
namespace asio = net::asio;
namespace log = telemetry::log;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

constexpr core::Duration shutdown_grace = 2s;

}  // namespace

core::Result<std::shared_ptr<const net::Trust>> App::State::link_trust() const {
    if (!settings.observer.https) {
        return std::shared_ptr<const net::Trust>();
    }
    auto trust = net::Trust::load(settings.observer.access.ca_files);
    if (!trust) {
        const core::Problem& problem = trust.error();
        return core::Problem{core::message_with_flag(problem, "observer-"), problem.field};
    }
    return trust;
}

// Whoever reaches this API needs no token: it must not stand in for one that the observer asks for.
void App::State::build_relay(const std::shared_ptr<const net::Trust>& trust) {
    const bool open = settings.observer.access.token.empty() || settings.listen.is_local();
    if (open && relay == nullptr) {
        relay = std::make_unique<ObserverRelay>(
            io, RelaySettings{.url = settings.observer, .trust = trust});
    }
}

std::optional<core::Problem> App::State::build_engine() {
    auto trust = link_trust();
    if (!trust) {
        return trust.error();
    }
    build_relay(*trust);
    LinkSettings link;
    link.url = settings.observer;
    link.holder = "ome-trafficmap-" + random_uid();
    link.trust = *std::move(trust);
    link.inherited = std::exchange(has_run, true);
    const core::Configuration& all = settings.configuration;
    routing::PublicationSettings publication =
        routing::publication_settings(all.routing, all.gateway);
    publication.active = publication.active && !settings.store.dry_run;
    publication.cleans_up = !settings.store.dry_run;
    settings.store.kube.route_namespace = publication.route_namespace;
    settings.store.kube.publishes = publication.active && routing::is_configured(publication);
    settings.store.kube.needed_kinds.clear();
    for (const routing::ObjectKind kind : routing::object_kinds) {
        if (settings.store.kube.publishes && routing::is_needed(kind, publication)) {
            settings.store.kube.needed_kinds.insert(kind);
        }
    }
    const KubeStoreSettings& kube = settings.store.kube;
    if (kube.publishes && !kube.namespaces.empty() && !kube.all_routes) {
        log::warn(
            "hostnames that are taken outside of --namespaces are not seen: a route with the "
            "same hostname on the same Gateway may be published beside them; --all-routes "
            "looks everywhere",
            {{"namespaces", fmt::format("{}", fmt::join(kube.namespaces, ","))}});
    }
    auto store = make_store(io, settings.store, kube::process_environment());
    if (!store) {
        return store.error();
    }
    store_name = std::move(store->name);
    for (const std::string& warning : store->warnings) {
        log::warn("the store is not safe", {{"problem", warning}});
    }
    engine = std::make_unique<Engine>(
        io,
        ReconcilerSettings{.installation = all.routing,
                           .probe_time_interval = settings.probe_time_interval,
                           .dry_run = settings.store.dry_run},
        std::move(publication),
        std::move(link),
        std::move(store->store));
    context =
        std::make_unique<ControlContext>(ControlContext{.engine = *engine,
                                                        .configuration = view,
                                                        .store = store_name,
                                                        .observer = settings.observer.text,
                                                        .started = started,
                                                        .stopping = [this] { return stopping; },
                                                        .dry_run = store->dry_run,
                                                        .relay = relay.get()});
    return std::nullopt;
}

std::optional<core::Problem> App::State::build_api() {
    net::HttpServerSettings api;
    api.listen = net::to_string(settings.listen);
    api.max_connections = settings.api_connections;
    // The kubelet and Prometheus dial the pod's address; whoever reaches it can only read.
    api.check_host = settings.listen.is_local();
    api.on_fault = [](std::string fault) {
        log::error("fault in the local API", {{"fault", fault}});
    };
    auto made = net::HttpServer::create(
        io,
        api,
        [this](net::ServerRequest request) { return answer_request(std::move(request)); },
        [](unsigned status, std::string message) {
            return error_answer(status, std::move(message));
        });
    if (!made) {
        return made.error();
    }
    server = *std::move(made);
    return std::nullopt;
}

net::Awaitable<net::ServerResponse> App::State::answer_request(net::ServerRequest request) {
    if (config_map != nullptr) {
        view.missing_rights = config_map->missing_rights();
        view.troubles = config_map->troubles();
    }
    return context == nullptr ? answer_waiting(view, std::move(request))
                              : answer(context.get(), std::move(request));
}

void App::State::wait_for_signal() {
    signals.async_wait([this](const boost::system::error_code& error, int signal) {
        if (error) {
            return;
        }
        if (signal == SIGHUP) {
            if (configuration != nullptr) {
                configuration->read_again();
            }
            wait_for_signal();
            return;
        }
        log::info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
        asio::co_spawn(io, shut_down(), [](std::exception_ptr bug) {
            if (bug) {
                std::rethrow_exception(bug);
            }
        });
    });
}

// What is queued for an engine that has stopped finds it still there, and queues nothing more.
net::Awaitable<void> App::State::let_go_of_engine() {
    co_await engine->stop();
    for (int turn = 0; turn < 3; ++turn) {
        Timer timer(io.get_executor());
        timer.expires_after(core::Duration::zero());
        std::ignore = co_await timer.async_wait(net::as_result);
    }
}

// As an end and a start of the process, but that the API goes on answering. What the file has
// become meanwhile is in `settings`.
net::Awaitable<void> App::State::start_anew() {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await let_go_of_engine();
    if (stopping) {
        co_return;
    }
    restarting = false;
    const EngineCounters counters = engine->counters();
    engine.reset();
    const auto problem = build_engine();
    if (!problem) {
        engine->count_on(counters);
        engine->start();
        co_return;
    }
    give_up(*problem);
}

// What has been handed to the store is written; the observer keeps what was declared for a while.
net::Awaitable<void> App::State::shut_down() {
    stopping = true;
    if (relay != nullptr) {
        relay->stop();
    }
    if (configuration != nullptr) {
        configuration->stop();
    }
    co_await tasks.stop();
    if (config_map != nullptr) {
        co_await config_map->stop();
    }
    if (engine != nullptr) {
        co_await engine->stop();
    }
    co_await server->stop(shutdown_grace);
    keep_running.reset();
}

void App::State::begin() {
    log::info("Setting up multi-cluster TrafficMap routing controller",
              {{"enabled", settings.configuration.routing.enabled.value_or(false)},
               {"capacityFormats", "[Report]"},
               {"version", OME_VERSION},
               {"listen", server->address()},
               {"store", context->store},
               {"observer", settings.observer.text}});
    if (!view.routing_off.empty()) {
        log::warn("routing is off: no map is kept", {{"because", view.routing_off}});
    }
    engine->start();
}

App::App(std::unique_ptr<State> state) : state_(std::move(state)) {}

App::~App() = default;

core::Result<std::unique_ptr<App>> App::create(const AppSettings& settings) {
    auto state = std::make_unique<State>(settings);
    for (const auto step : {&State::build_configuration, &State::build_api}) {
        if (auto problem = ((*state).*step)()) {
            return *problem;
        }
    }
    return std::unique_ptr<App>(new App(std::move(state)));
}

bool App::run() {
    State& state = *state_;
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        state.signals.add(signal);
    }
    net::release_hangup();
    state.wait_for_signal();
    state.server->start();
    if (state.config_map != nullptr) {
        log::info("reading the configuration",
                  {{"from", state.view.source}, {"listen", state.server->address()}});
        state.config_map->start();
    } else {
        state.begin();
        state.configuration->start();
    }
    state.io.run();
    log::info("stopped");
    return !state.failed;
}

}  // namespace ome::controller
