// The controller's own API: metrics, health, status, and why a map is as it is. Reads only.
#pragma once

#include "dry_run.hpp"
#include "engine.hpp"
#include <ome/net/http_server.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace ome::controller {

struct ControlContext {
    const Engine& engine;
    std::string store;
    std::string observer;
    core::Now started;
    std::function<bool()> stopping;
    const DryRun* dry_run = nullptr;  ///< null: the controller writes
};

/// `context` must outlive the server.
[[nodiscard]] net::Awaitable<net::ServerResponse> answer(const ControlContext* context,
                                                         net::ServerRequest request);

/// `{"error":{"code","message","field"}}`
[[nodiscard]] net::ServerResponse error_answer(unsigned status,
                                               std::string message,
                                               std::string_view field = {});

}  // namespace ome::controller
