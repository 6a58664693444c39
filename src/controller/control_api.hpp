// The controller's own API: metrics, health, status, and why a map is as it is. Reads only.
#pragma once

#include "dry_run.hpp"
#include "engine.hpp"
#include <ome/net/http_server.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::controller {

class ObserverRelay;

/// Where the configuration comes from, and what is wrong with what is there now.
struct ConfigurationView {
    std::string source;   ///< a path, or `ConfigMap NAMESPACE/NAME`
    std::string problem;  ///< empty: what is there is in force
    /// Of the one in force: which member turns routing off; empty: it is on.
    std::string routing_off = {};
    std::vector<std::string> warnings = {};  ///< likewise: what is not taken as it is written
    std::vector<MissingRight> missing_rights = {};
    std::vector<StoreTrouble> troubles = {};  ///< of whom it is asked for
};

struct ControlContext {
    const Engine& engine;
    const ConfigurationView& configuration;
    std::string store;
    std::string observer;
    core::Now started;
    std::function<bool()> stopping;
    const DryRun* dry_run = nullptr;  ///< null: the controller writes
    ObserverRelay* relay = nullptr;   ///< null: what the observer says is not passed on
};

/// `context` must outlive the server.
[[nodiscard]] net::Awaitable<net::ServerResponse> answer(const ControlContext* context,
                                                         net::ServerRequest request);

/// While there is no configuration to run with.
[[nodiscard]] net::Awaitable<net::ServerResponse> answer_waiting(const ConfigurationView& view,
                                                                 net::ServerRequest request);

/// `{"error":{"code","message","field"}}`
[[nodiscard]] net::ServerResponse error_answer(unsigned status,
                                               std::string_view message,
                                               std::string_view field = {});

}  // namespace ome::controller
