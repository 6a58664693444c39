// The controller, wired: store, engine, its own API, and the signals.
#pragma once

#include "store_choice.hpp"
#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/net/listen_address.hpp>
#include <ome/net/local_client.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ome::controller {

struct AppSettings {
    StoreChoice store;
    net::LocalUrl observer;  ///< with what a protected one asks for
    std::vector<std::string> observer_ca_files;
    core::RoutingSettings installation;  ///< checked
    core::GatewaySettings gateway;       ///< checked with it
    net::ListenAddress listen;
    core::Duration probe_time_interval = std::chrono::seconds(10);
};

class App {
public:
    /// Problem: a store that cannot be used, a CA file, an address that cannot be bound.
    [[nodiscard]] static core::Result<std::unique_ptr<App>> create(const AppSettings& settings);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// On the calling thread, until SIGTERM or SIGINT; then everything is finished in order.
    void run();

private:
    struct State;
    explicit App(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
