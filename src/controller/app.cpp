#include "app.hpp"

#include "configuration_file.hpp"
#include "control_api.hpp"
#include "engine.hpp"
#include "generations.hpp"
#include <ome/core/setting.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/http_server.hpp>
#include <ome/net/task_scope.hpp>
#include <ome/net/trust.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/signal_set.hpp>
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

struct App::State {
    explicit State(const AppSettings& chosen)
        : settings(chosen), keep_running(io.get_executor()), signals(io.get_executor()) {}

    std::optional<core::Problem> build_engine();
    std::optional<core::Problem> build_api();
    void wait_for_signal();
    void take_configuration(core::Result<ReadConfiguration> read);
    void tell_changes(const ReadConfiguration& read, const std::vector<std::string>& changes) const;
    net::Awaitable<void> start_anew();
    net::Awaitable<void> let_go_of_engine();
    net::Awaitable<void> shut_down();

    AppSettings settings;
    asio::io_context io{1};
    asio::executor_work_guard<net::Executor> keep_running;
    std::string store_name;  // for people
    core::Now started = net::read_clock();
    std::unique_ptr<Engine> engine;
    std::unique_ptr<ControlContext> context;
    std::unique_ptr<ConfigurationFile> configuration;
    std::unique_ptr<net::HttpServer> server;
    asio::basic_signal_set<net::Executor> signals;
    net::TaskScope tasks{io};
    bool stopping = false;
    bool restarting = false;
    bool failed = false;
};

std::optional<core::Problem> App::State::build_engine() {
    LinkSettings link;
    link.url = settings.observer;
    link.holder = "ome-trafficmap-" + random_uid();
    if (settings.observer.https) {
        auto trust = net::Trust::load(settings.observer.access.ca_files);
        if (!trust) {
            const core::Problem& problem = trust.error();
            return core::Problem{core::message_with_flag(problem, "observer-"), problem.field};
        }
        link.trust = *std::move(trust);
    }
    const core::Configuration& all = settings.configuration;
    routing::PublicationSettings publication =
        routing::publication_settings(all.routing, all.gateway);
    publication.active = publication.active && !settings.store.dry_run;
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
        ReconcilerSettings{.installation = all.routing,
                           .probe_time_interval = settings.probe_time_interval},
        std::move(publication),
        std::move(link),
        std::move(store->store));
    context =
        std::make_unique<ControlContext>(ControlContext{.engine = *engine,
                                                        .store = store_name,
                                                        .observer = settings.observer.text,
                                                        .started = started,
                                                        .stopping = [this] { return stopping; },
                                                        .dry_run = store->dry_run});
    return std::nullopt;
}

std::optional<core::Problem> App::State::build_api() {
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
            configuration->read_again();
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

// A slip in the name of a member is a change like another, and may cost every map.
void App::State::tell_changes(const ReadConfiguration& read,
                              const std::vector<std::string>& changes) const {
    for (const std::string& warning : read.warnings) {
        log::warn("settings", {{"warning", warning}});
    }
    const bool off = settings.configuration.routing.enabled.value_or(false) &&
                     !read.all.routing.enabled.value_or(false);
    if (off) {
        const auto maps = engine->reconciler().counts(net::read_clock()).maps;
        log::warn("routing is turned off: the maps are deleted, and the routes with them",
                  {{"maps", maps}});
    }
    log::info("the configuration has changed, the routing part starts anew",
              {{"changes", fmt::format("{}", fmt::join(changes, "; "))}});
}

// One that cannot be used is told once for each change of the file.
void App::State::take_configuration(core::Result<ReadConfiguration> read) {
    if (engine == nullptr) {
        return;
    }
    engine->complain(settings.config_file,
                     read ? std::nullopt : std::optional<core::Problem>(read.error()));
    if (!read) {
        log::error("the configuration cannot be used, what was in force stays",
                   {{"problem", read.error().message}});
        return;
    }
    const auto changes = core::configuration_changes(settings.configuration, read->all);
    if (changes.empty()) {
        return;
    }
    tell_changes(*read, changes);
    settings.configuration = std::move(read->all);
    if (!stopping && !std::exchange(restarting, true)) {
        tasks.spawn(start_anew());
    }
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
    engine.reset();
    const auto problem = build_engine();
    if (!problem) {
        engine->start();
        co_return;
    }
    log::error("the routing part cannot start anew", {{"problem", problem->message}});
    failed = true;
    std::ignore = std::raise(SIGTERM);
}

// What has been handed to the store is written; the observer keeps what was declared for a while.
net::Awaitable<void> App::State::shut_down() {
    stopping = true;
    configuration->stop();
    co_await tasks.stop();
    if (engine != nullptr) {
        co_await engine->stop();
    }
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
    state->configuration = std::make_unique<ConfigurationFile>(
        state->io, settings.config_file, settings.config_interval, [to = state.get()](auto read) {
            to->take_configuration(std::move(read));
        });
    return std::unique_ptr<App>(new App(std::move(state)));
}

bool App::run() {
    State& state = *state_;
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        state.signals.add(signal);
    }
    state.wait_for_signal();
    state.server->start();
    log::info("Setting up multi-cluster TrafficMap routing controller",
              {{"enabled", state.settings.configuration.routing.enabled.value_or(false)},
               {"capacityFormats", "[Report]"},
               {"version", OME_VERSION},
               {"listen", state.server->address()},
               {"store", state.context->store},
               {"observer", state.settings.observer.text}});
    state.engine->start();
    state.configuration->start();
    state.io.run();
    log::info("stopped");
    return !state.failed;
}

}  // namespace ome::controller
