#include "app_state.hpp"
#include <ome/net/process_signals.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/co_spawn.hpp>

#include <csignal>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;
namespace log = telemetry::log;

// Requests that are being answered at shutdown get this long to finish.
constexpr core::Duration shutdown_grace = 2s;

}  // namespace

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
    net::release_hangup();
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
               {"reactors", state.settings.reactors}});
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
