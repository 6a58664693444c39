// The parts of App, for the files that build it (app_build.cpp), run it (app.cpp) and keep it up to
// date (app_reload.cpp). Lives on the API's thread.
#pragma once

#include "api.hpp"
#include "api_guard.hpp"
#include "app.hpp"
#include "hub.hpp"
#include "permit_desk.hpp"
#include "recorder.hpp"
#include "shard.hpp"
#include "trust_keeper.hpp"
#include <ome/net/reactor.hpp>
#include <ome/net/task_scope.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <memory>
#include <vector>

namespace ome::observer {

namespace asio = net::asio;

/// One reactor and what lives on it, in order of construction.
struct ReactorSide {
    explicit ReactorSide(std::size_t index) : reactor(fmt::format("ome-reactor-{}", index)) {}

    net::Reactor reactor;
    std::unique_ptr<net::Client> client;
    std::unique_ptr<Shard> shard;
};

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
    void reload_limits();
    net::Awaitable<void> watch_files();
    void take_certificate(std::shared_ptr<const net::ServerTls> tls);  ///< null: nothing new
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

}  // namespace ome::observer
