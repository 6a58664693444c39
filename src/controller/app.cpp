#include "app.hpp"

#include "control_api.hpp"
#include "engine.hpp"
#include "generations.hpp"
#include <ome/net/clock.hpp>
#include <ome/net/http_server.hpp>
#include <ome/net/trust.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
namespace asio = net::asio;
namespace log = telemetry::log;

constexpr core::Duration shutdown_grace = 2s;

}  // namespace

struct App::State {
    explicit State(const AppSettings& chosen)
        : settings(chosen), keep_running(io.get_executor()), signals(io.get_executor()) {}

    std::optional<core::Problem> build_engine();
    std::optional<core::Problem> build_api();
    void wait_for_signal();
    net::Awaitable<void> shut_down();

    AppSettings settings;
    asio::io_context io{1};
    asio::executor_work_guard<net::Executor> keep_running;
    std::string store_name;  // for people
    std::unique_ptr<Engine> engine;
    std::unique_ptr<ControlContext> context;
    std::unique_ptr<net::HttpServer> server;
    asio::basic_signal_set<net::Executor> signals;
    bool stopping = false;
};

std::optional<core::Problem> App::State::build_engine() {
    LinkSettings link;
    link.url = settings.observer;
    link.holder = "ome-trafficmap-" + random_uid();
    if (settings.observer.https) {
        auto trust = net::Trust::load(settings.observer.access.ca_files);
        if (!trust) {
            return trust.error();
        }
        link.trust = *std::move(trust);
    }
    const routing::PublicationSettings publication =
        routing::publication_settings(settings.installation, settings.gateway);
    settings.store.kube.route_namespace = publication.route_namespace;
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
        ReconcilerSettings{.installation = settings.installation,
                           .probe_time_interval = settings.probe_time_interval},
        publication,
        std::move(link),
        std::move(store->store));
    return std::nullopt;
}

std::optional<core::Problem> App::State::build_api() {
    context =
        std::make_unique<ControlContext>(ControlContext{.engine = *engine,
                                                        .store = store_name,
                                                        .observer = settings.observer.text,
                                                        .started = net::read_clock(),
                                                        .stopping = [this] { return stopping; }});
    net::HttpServerSettings api;
    api.listen = net::to_string(settings.listen);
    // The kubelet and Prometheus dial the pod's address; whoever reaches it can only read.
    api.check_host = settings.listen.is_local();
    api.on_fault = [](std::string fault) {
        log::error("fault in the local API", {{"fault", fault}});
    };
    auto made = net::HttpServer::create(
        io,
        api,
        [this](net::ServerRequest request) { return answer(context.get(), std::move(request)); },
        [](unsigned status, std::string message) {
            return error_answer(status, std::move(message));
        });
    if (!made) {
        return made.error();
    }
    server = *std::move(made);
    return std::nullopt;
}

void App::State::wait_for_signal() {
    signals.async_wait([this](const boost::system::error_code& error, int signal) {
        if (error) {
            return;
        }
        if (signal == SIGHUP) {
            log::info("the configuration is read at the start only; a restart brings a new one");
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

// What has been handed to the store is written; the observer keeps what was declared for a while.
net::Awaitable<void> App::State::shut_down() {
    stopping = true;
    co_await engine->stop();
    co_await server->stop(shutdown_grace);
    keep_running.reset();
}

App::App(std::unique_ptr<State> state) : state_(std::move(state)) {}

App::~App() = default;

core::Result<std::unique_ptr<App>> App::create(const AppSettings& settings) {
    auto state = std::make_unique<State>(settings);
    for (const auto step : {&State::build_engine, &State::build_api}) {
        if (auto problem = ((*state).*step)()) {
            return *problem;
        }
    }
    return std::unique_ptr<App>(new App(std::move(state)));
}

void App::run() {
    State& state = *state_;
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        state.signals.add(signal);
    }
    state.wait_for_signal();
    state.server->start();
    log::info("Setting up multi-cluster TrafficMap routing controller",
              {{"enabled", state.settings.installation.enabled.value_or(false)},
               {"capacityFormats", "[Report]"},
               {"version", OME_VERSION},
               {"listen", state.server->address()},
               {"store", state.context->store},
               {"observer", state.settings.observer.text}});
    state.engine->start();
    state.io.run();
    log::info("stopped");
}

}  // namespace ome::controller
