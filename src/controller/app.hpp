// The controller, wired: store, engine, its own API, and the signals.
#pragma once

#include "configuration_map.hpp"
#include "store_choice.hpp"
#include <ome/core/configuration_changes.hpp>
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
    std::string config_file;                                    ///< empty: `config_map`
    core::Duration config_interval = std::chrono::seconds(10);  ///< zero: never looked at again
    core::Configuration configuration;                          ///< what the file says; checked
    std::string routing_off = {};                               ///< which member of it does that
    std::vector<std::string> config_warnings = {};              ///< of the file
    ConfigMapName config_map;  ///< of the store's API server; read when running
    net::ListenAddress listen;
    core::Duration probe_time_interval = std::chrono::seconds(10);
    std::size_t api_connections = 256;  ///< at most; more is refused by waiting
};

class App {
public:
    /// Problem: a store that cannot be used, a CA file, an address that cannot be bound. A
    /// ConfigMap that cannot be used yet is none: run() waits for one that can.
    [[nodiscard]] static core::Result<std::unique_ptr<App>> create(const AppSettings& settings);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// On the calling thread, until SIGTERM or SIGINT; then everything is finished in order. A new
    /// configuration starts the routing part anew; the API answers meanwhile. False: it ended since
    /// that was not possible.
    [[nodiscard]] bool run();

private:
    struct State;
    explicit App(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
