#include "control_api.hpp"

#include "control_page.hpp"
#include <ome/net/clock.hpp>
#include <ome/telemetry/metrics.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <string_view>

namespace ome::controller {
namespace {

namespace json = boost::json;

constexpr const char* text_type = "text/plain; charset=utf-8";
constexpr const char* json_type = "application/json";

net::ServerResponse page(unsigned status, const char* type, std::string body) {
    net::ServerResponse response;
    response.status = status;
    response.content_type = type;
    response.body = std::move(body);
    return response;
}

net::ServerResponse json_page(unsigned status, const json::object& document) {
    return page(status, json_type, wire::to_text(document) + "\n");
}

std::string_view code_of(unsigned status) {
    switch (status) {
        case 400:
            return "BadRequest";
        case 403:
            return "Forbidden";
        case 404:
            return "NotFound";
        case 405:
            return "MethodNotAllowed";
        case 408:
            return "RequestTimeout";
        case 413:
            return "TooLarge";
        case 503:
            return "Unavailable";
        default:
            return "Error";
    }
}

StatusFrame frame_of(const ControlContext& context, const core::Now& now) {
    return {.version = OME_VERSION,
            .store = context.store,
            .observer = context.observer,
            .uptime = now.steady - context.started.steady};
}

bool wants_json(const net::ServerRequest& request) {
    const auto format = request.query.find("output");
    return (format != request.query.end() && format->second == "json") ||
           request.header("accept").find("application/json") != std::string_view::npos;
}

// A standby is ready, too: it is there to take over.
net::ServerResponse readiness(const ControlContext& context) {
    if (context.stopping()) {
        return page(503, text_type, "shutting down\n");
    }
    if (!context.engine.lead_known()) {
        return page(503, text_type, "finding out who leads\n");
    }
    const bool reading = context.engine.leading() && !context.engine.ready();
    return page(reading ? 503 : 200,
                text_type,
                reading                    ? "reading the store\n"
                : context.engine.leading() ? "ok\n"
                                           : "ok (standby)\n");
}

net::ServerResponse explain(const ControlContext& context, const net::ServerRequest& request) {
    const core::ServiceKey key{request.segments[2], request.segments[3]};
    const auto explanation = context.engine.reconciler().explain(key, net::read_clock());
    if (!explanation) {
        return error_answer(404, explanation.error().message);
    }
    return wants_json(request) ? json_page(200, explanation_document(*explanation))
                               : page(200, text_type, routing::text_of(*explanation));
}

net::ServerResponse respond(const ControlContext& context, const net::ServerRequest& request) {
    const core::Now now = net::read_clock();
    const std::vector<std::string>& segments = request.segments;
    const std::string& path = request.path;
    if (path == "/livez") {
        return page(200, text_type, "ok\n");
    }
    if (path == "/readyz") {
        return readiness(context);
    }
    if (path == "/metrics") {
        return page(200, telemetry::metrics_content_type, metrics_page(context.engine, now));
    }
    if (path == "/status" || path == "/v1/status") {
        return path == "/v1/status" || wants_json(request)
                   ? json_page(200, status_document(context.engine, frame_of(context, now), now))
                   : page(200, text_type, status_text(context.engine, frame_of(context, now), now));
    }
    if (segments.size() == 5 && segments[0] == "v1" && segments[1] == "maps" &&
        segments[4] == "explain") {
        return explain(context, request);
    }
    return error_answer(404, "there is nothing at this path");
}

}  // namespace

net::ServerResponse error_answer(unsigned status, std::string message) {
    const json::object error{
        {"code", code_of(status)}, {"message", std::move(message)}, {"field", ""}};
    return json_page(status, {{"error", error}});
}

net::Awaitable<net::ServerResponse> answer(const ControlContext* context,
                                           net::ServerRequest request) {
    if (request.method != "GET" && request.method != "HEAD") {
        net::ServerResponse refused = error_answer(405, "this path answers GET, HEAD only");
        refused.headers.emplace_back("Allow", "GET, HEAD");
        co_return refused;
    }
    co_return respond(*context, request);
}

}  // namespace ome::controller
