// What the parts of the controller's program share: the routing part, which a new configuration
// replaces, and what stays around it.
#pragma once

#include "app.hpp"
#include "configuration_file.hpp"
#include "control_api.hpp"
#include "engine.hpp"
#include "observer_relay.hpp"
#include <ome/net/clock.hpp>
#include <ome/net/http_server.hpp>
#include <ome/net/task_scope.hpp>
#include <ome/net/trust.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/signal_set.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ome::controller {

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
    void tell_warnings(const std::vector<std::string>& warnings);
    void tell_changes(const ReadConfiguration& read, const std::vector<std::string>& changes) const;
    net::Awaitable<void> start_anew();
    net::Awaitable<void> let_go_of_engine();
    net::Awaitable<void> shut_down();

    AppSettings settings;
    net::asio::io_context io{1};
    net::asio::executor_work_guard<net::Executor> keep_running;
    std::string store_name;  // for people
    core::Now started = net::read_clock();
    std::unique_ptr<ObserverRelay> relay;  // null: not to be had
    std::unique_ptr<Engine> engine;
    std::unique_ptr<ControlContext> context;
    ConfigurationView view;
    std::unique_ptr<ConfigurationFile> configuration;  // one of the two
    std::unique_ptr<ConfigurationMap> config_map;
    std::unique_ptr<net::HttpServer> server;
    net::asio::basic_signal_set<net::Executor> signals;
    net::TaskScope tasks{io};
    std::vector<std::string> told_warnings;  // of the configuration, in the log
    bool has_run = false;                    // a routing part before this one has
    bool stopping = false;
    bool restarting = false;
    bool failed = false;
    bool refused = false;  // the configuration that was last read
};

}  // namespace ome::controller
