// The sidecar, wired: reactors with a client and a shard each, the permit desk, the hub, the API
// server, and the signals. One place where parts meet; none of them knows another's owner.
#pragma once

#include "settings.hpp"
#include <ome/core/problem.hpp>

#include <functional>
#include <memory>

namespace ome::observer {

/// The limits as the configuration says now; called at SIGHUP.
/// Of the settings, read again: what a running observer takes over.
struct ReloadedSettings {
    core::ObserverLimits limits;
    std::vector<SettingInForce> in_force;
};
using ReadLimits = std::function<core::Result<ReloadedSettings>()>;

class App {
public:
    /// Problems: an address that cannot be bound, a CA file or a services file that cannot be used;
    /// all that were found.
    [[nodiscard]] static core::Result<std::unique_ptr<App>> create(const Settings& settings,
                                                                   ReadLimits read_limits);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// Runs the API on the calling thread until SIGTERM or SIGINT, then stops everything and
    /// returns.
    void run();

private:
    struct State;
    explicit App(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace ome::observer
