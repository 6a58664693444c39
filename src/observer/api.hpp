// The local API, version 1 (design.md section 4): routes, errors, and the handlers' common ground.
#pragma once

#include "hub.hpp"
#include "recorder.hpp"
#include "settings.hpp"
#include <ome/core/policy.hpp>
#include <ome/net/http_server.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace ome::observer {

/// What handlers work on; lives on the API thread and outlives every request.
struct ApiContext {
    Hub& hub;
    const Settings& settings;
    std::function<core::ObserverLimits()> limits;  ///< in force now (SIGHUP changes them)
    std::function<bool()> ready;
    std::function<std::vector<double>()> reactor_busy_seconds;
    const Recorder* recorder = nullptr;  ///< of `--record`
    core::Now started;
    bool fixed_services = false;  ///< `--services FILE`: declarations answer 409
};

/// A JSON answer with `instance` in it.
[[nodiscard]] net::ServerResponse json_answer(const ApiContext& context,
                                              unsigned status,
                                              boost::json::object body);

/// `{"instance","error":{"code","message"[,"field"]}}`
[[nodiscard]] net::ServerResponse error_answer(const ApiContext& context,
                                               unsigned status,
                                               const core::Problem& problem);

/// Text, with the instance as a header.
[[nodiscard]] net::ServerResponse text_answer(const ApiContext& context,
                                              std::string content_type,
                                              std::string text);

/// Routes a request; 404 and 405 (with `Allow`) are answered here.
net::Awaitable<net::ServerResponse> answer(ApiContext* context, net::ServerRequest request);

/// Only `/metrics`, `/livez` and `/readyz`: what `--health-listen` serves.
net::Awaitable<net::ServerResponse> answer_health(ApiContext* context, net::ServerRequest request);

// Handlers, by file.
net::Awaitable<net::ServerResponse> put_service(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_service(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> delete_service(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_services(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_config(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_status(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_status_text(ApiContext* context,
                                                    net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_metrics(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_livez(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_readyz(ApiContext* context, net::ServerRequest request);

}  // namespace ome::observer
