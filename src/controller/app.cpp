#include "app.hpp"

#include "configuration_file.hpp"
#include "control_api.hpp"
#include "engine.hpp"
#include "generations.hpp"
#include "observer_relay.hpp"
#include <ome/core/setting.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/http_server.hpp>
#include <ome/net/process_signals.hpp>
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
    std::optional<core::Problem> build_configuration();
    std::optional<core::Problem> follow_config_map();
    [[nodiscard]] core::Result<std::shared_ptr<const net::Trust>> link_trust() const;
    void build_relay(const std::shared_ptr<const net::Trust>& trust);
    void begin();
    net::Awaitable<net::ServerResponse> answer_request(net::ServerRequest request);
    void wait_for_signal();
    void take_configuration(core::Result<ReadConfiguration> read);
    void refuse_configuration(const core::Problem& problem);
    void begin_with(ReadConfiguration read);
    void take_trouble(const std::string& problem);
    void give_up(const core::Problem& problem);
    void tell_changes(const ReadConfiguration& read, const std::vector<std::string>& changes) const;
    net::Awaitable<void> start_anew();
    net::Awaitable<void> let_go_of_engine();
    net::Awaitable<void> shut_down();

    AppSettings settings;
    asio::io_context io{1};
    asio::executor_work_guard<net::Executor> keep_running;
    std::string store_name;  // for people
    core::Now started = net::read_clock();
    std::unique_ptr<ObserverRelay> relay;  // null: not to be had
    std::unique_ptr<Engine> engine;
    std::unique_ptr<ControlContext> context;
    ConfigurationView view;
    std::unique_ptr<ConfigurationFile> configuration;  // one of the two
    std::unique_ptr<ConfigurationMap> config_map;
    std::unique_ptr<net::HttpServer> server;
    asio::basic_signal_set<net::Executor> signals;
    net::TaskScope tasks{io};
    bool has_run = false;  // a routing part before this one has
    bool stopping = false;
    bool restarting = false;
    bool failed = false;
    bool refused = false;  // the configuration that was last read
};

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
    }
    return context == nullptr ? answer_waiting(view, std::move(request))
                              : answer(context.get(), std::move(request));
}

std::optional<core::Problem> App::State::follow_config_map() {
    auto access = kube::find_access(settings.store.access, kube::process_environment());
    if (!access) {
        return access.error();
    }
    if (auto trust = link_trust(); !trust) {
        return trust.error();
    }
    ConfigMapName where = settings.config_map;
    where.ns = where.ns.empty() ? access->ns : where.ns;
    config_map = std::make_unique<ConfigurationMap>(
        io,
        *std::move(access),
        std::move(where),
        ConfigurationMap::Listener{
            [this](core::Result<ReadConfiguration> read) { take_configuration(std::move(read)); },
            [this](const std::string& problem) { take_trouble(problem); }});
    view.source = config_map->text();
    view.problem = view.source + ": not read yet";
    return std::nullopt;
}

std::optional<core::Problem> App::State::build_configuration() {
    if (settings.config_file.empty()) {
        return follow_config_map();
    }
    view.source = settings.config_file;
    view.routing_off = settings.routing_off;
    view.warnings = settings.config_warnings;
    configuration = std::make_unique<ConfigurationFile>(
        io, settings.config_file, settings.config_interval, [this](auto read) {
            take_configuration(std::move(read));
        });
    return build_engine();
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
                  {{"maps", maps}, {"because", read.routing_off}});
    }
    log::info("the configuration has changed, the routing part starts anew",
              {{"changes", fmt::format("{}", fmt::join(changes, "; "))}});
}

// Told once for each change of what is there.
void App::State::refuse_configuration(const core::Problem& problem) {
    view.problem = problem.message;
    refused = true;
    log::error(engine == nullptr ? "the configuration cannot be used, waiting for one that can"
                                 : "the configuration cannot be used, what was in force stays",
               {{"problem", problem.message}});
    if (engine == nullptr) {
        return;
    }
    engine->complain(view.source, problem);
    if (config_map != nullptr && !config_map->uid().empty()) {
        engine->remark({.key = {config_map->where().ns, config_map->where().name},
                        .service_uid = {},
                        .warning = true,
                        .reason = "InvalidConfiguration",
                        .message = fmt::format("{}; what was in force stays", problem.message),
                        .at = net::read_clock().wall,
                        .config_map_uid = config_map->uid()});
    }
}

void App::State::give_up(const core::Problem& problem) {
    log::error("the routing part cannot start", {{"problem", problem.message}});
    failed = true;
    std::ignore = std::raise(SIGTERM);
}

void App::State::begin_with(ReadConfiguration read) {
    for (const std::string& warning : read.warnings) {
        log::warn("settings", {{"warning", warning}});
    }
    settings.configuration = std::move(read.all);
    if (const auto problem = build_engine()) {
        give_up(*problem);
        return;
    }
    begin();
}

// What is in force stays, of course: nothing is known of what is there.
void App::State::take_trouble(const std::string& problem) {
    if (engine == nullptr) {
        view.problem = problem;
    }
}

void App::State::take_configuration(core::Result<ReadConfiguration> read) {
    if (stopping) {
        return;
    }
    if (!read) {
        refuse_configuration(read.error());
        return;
    }
    view.problem.clear();
    view.routing_off = read->routing_off;
    view.warnings = read->warnings;
    if (std::exchange(refused, false)) {
        log::info("the configuration can be used again", {{"from", view.source}});
    }
    if (engine == nullptr) {
        begin_with(*std::move(read));
        return;
    }
    engine->complain(view.source, std::nullopt);
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
