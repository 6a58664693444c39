// The local API, version 1 (design.md section 4): routes, errors, and the handlers' common ground.
#pragma once

#include "hub.hpp"
#include "recorder.hpp"
#include "settings.hpp"
#include <ome/core/policy.hpp>
#include <ome/net/http_server.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <optional>
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

/// Whether a browser asks for the status page, which holds nothing that is worth a token: it asks
/// people for theirs.
[[nodiscard]] bool asks_for_page(const net::ServerRequest& request);

/// Only `/metrics`, `/livez` and `/readyz`: what `--health-listen` serves.
net::Awaitable<net::ServerResponse> answer_health(ApiContext* context, net::ServerRequest request);

/// `{"code","message"[,"field"]}`
[[nodiscard]] boost::json::object error_document(unsigned status, const core::Problem& problem);

/// A bad value of a query parameter: 400, with the parameter as the field.
[[nodiscard]] core::Problem bad_parameter(std::string_view name,
                                          std::string_view value,
                                          std::string_view rule);

/// Of `/v1/services/{namespace}/{name}` and what is below it.
[[nodiscard]] core::ServiceKey key_of(const net::ServerRequest& request);

[[nodiscard]] net::ServerResponse not_declared_answer(const ApiContext& context,
                                                      const core::ServiceKey& service);
/// 409: `--services` says what is declared.
[[nodiscard]] net::ServerResponse fixed_services_answer(const ApiContext& context);

/// 415 unless the request has this content type.
[[nodiscard]] std::optional<net::ServerResponse> wrong_type_answer(
    const ApiContext& context, const net::ServerRequest& request, std::string_view type);

// Handlers, by file.
net::Awaitable<net::ServerResponse> put_service(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_service(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> delete_service(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_services(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> put_services(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_watch(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> post_attempts(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_history(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_openapi(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_config(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_status(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_status_text(ApiContext* context,
                                                    net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_front(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_metrics(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_livez(ApiContext* context, net::ServerRequest request);
net::Awaitable<net::ServerResponse> get_readyz(ApiContext* context, net::ServerRequest request);

}  // namespace ome::observer
