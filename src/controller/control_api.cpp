#include "control_api.hpp"

#include "control_metrics.hpp"
#include "control_routes.hpp"
#include "control_status.hpp"
#include "dry_run_page.hpp"
#include "map_documents.hpp"
#include "observer_relay.hpp"
#include <ome/core/query_parameters.hpp>
#include <ome/core/text.hpp>
#include <ome/net/clock.hpp>
#include <ome/page/status_page.hpp>
#include <ome/telemetry/metrics.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ome::controller {
namespace {

namespace json = boost::json;

constexpr const char* text_type = "text/plain; charset=utf-8";
constexpr const char* json_type = "application/json";
constexpr std::size_t most_shown = 64;  // of a value that the client sent
constexpr std::size_t longest_message = 4096;

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
        case 502:
            return "BadGateway";
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

std::optional<core::Problem> wrong_query(const ControlRoute& route,
                                         const std::map<std::string, std::string>& query) {
    if (route.others == OtherParameters::Ignored) {
        return std::nullopt;
    }
    std::vector<std::string> known;
    for (const wire::ApiParameter& parameter : route.query) {
        known.emplace_back(parameter.name);
    }
    if (auto problem = core::unknown_parameter(query, known)) {
        return problem;
    }
    const auto output = query.find("output");
    if (output == query.end() || output->second == "json" || output->second == "text") {
        return std::nullopt;
    }
    return core::Problem{
        fmt::format("output {} must be text or json",
                    core::go_quote(core::shorten_bytes(output->second, most_shown))),
        "output"};
}

// `output` counts more than the header.
bool wants_json(const net::ServerRequest& request) {
    const auto output = request.query.find("output");
    return output != request.query.end()
               ? output->second == "json"
               : request.header("accept").find(json_type) != std::string_view::npos;
}

// A line for each, of those without which this process cannot do its work.
std::string blocking(const std::vector<MissingRight>& rights) {
    std::string text;
    for (const MissingRight& right : rights) {
        if (right.blocks) {
            text += fmt::format("missing right: {}: {}\n", spoken(right), right.hinders);
        }
    }
    return text;
}

// A watch says most about it.
std::string why_not_read(const Engine& engine) {
    const auto& all = engine.store_state().troubles;
    auto found =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.at == "watch"; });
    found = found == all.end() ? all.begin() : found;
    return found == all.end() ? "" : ": " + found->problem;
}

// A standby is ready, too: it is there to take over, as long as it can see when that is due.
net::ServerResponse readiness(const ControlContext& context) {
    if (context.stopping()) {
        return page(503, text_type, "shutting down\n");
    }
    const std::string missing = blocking(missing_rights(context.engine, context.configuration));
    const bool leading = context.engine.leading();
    const StoreTrouble* lease = lease_trouble(context.engine);
    if (!leading && (lease != nullptr || !context.engine.lead_known())) {
        const std::string why = lease == nullptr ? "" : ": " + lease->problem;
        return page(503, text_type, "finding out who leads" + why + "\n" + missing);
    }
    if (leading && !context.engine.ready()) {
        return page(
            503, text_type, "reading the store" + why_not_read(context.engine) + "\n" + missing);
    }
    if (!missing.empty()) {
        return page(503, text_type, missing);
    }
    if (context.engine.dry_run()) {
        return page(200, text_type, "ok (dry run)\n");
    }
    return page(200, text_type, leading ? "ok\n" : "ok (standby)\n");
}

// Who does not lead, or has not read all yet, knows of no service whether it is there.
std::string why_unknown(const Engine& engine) {
    if (engine.ready()) {
        return {};
    }
    if (engine.leading()) {
        return "the store is being read" + why_not_read(engine);
    }
    if (const StoreTrouble* trouble = lease_trouble(engine); trouble != nullptr) {
        return "who leads is not known: " + trouble->problem;
    }
    if (!engine.lead_known()) {
        return "who leads is not known yet";
    }
    const auto& lease = engine.store_state().lease;
    const std::string who =
        lease && !lease->holder.empty() ? fmt::format(" ({})", lease->holder) : "";
    return fmt::format("this is a standby: another controller leads{}; ask that one", who);
}

}  // namespace

net::ServerResponse get_livez(const ControlContext&, const net::ServerRequest&) {
    return page(200, text_type, "ok\n");
}

net::ServerResponse get_readyz(const ControlContext& context, const net::ServerRequest&) {
    return readiness(context);
}

net::ServerResponse get_metrics(const ControlContext& context, const net::ServerRequest&) {
    std::string text = metrics_page(context.engine, context.configuration, net::read_clock());
    if (context.dry_run != nullptr) {
        text += diff_metrics(*context.dry_run);
    }
    return page(200, telemetry::metrics_content_type, std::move(text));
}

net::ServerResponse get_diff(const ControlContext& context, const net::ServerRequest&) {
    return context.dry_run != nullptr
               ? json_page(200, diff_document(*context.dry_run))
               : error_answer(404, "this controller writes: one with --dry-run compares");
}

net::ServerResponse get_front(const ControlContext& context, const net::ServerRequest& request) {
    if (page::names_html(request.header("accept"))) {
        return page::status_page(page::Mode::Controller);
    }
    const core::Now now = net::read_clock();
    net::ServerResponse text =
        page(200,
             text_type,
             status_text(context.engine, context.configuration, frame_of(context, now), now));
    text.headers.emplace_back("Vary", "Accept");
    return text;
}

net::ServerResponse get_maps(const ControlContext& context, const net::ServerRequest&) {
    return json_page(200, maps_document(context.engine.reconciler()));
}

net::ServerResponse get_status(const ControlContext& context, const net::ServerRequest& request) {
    const core::Now now = net::read_clock();
    const StatusFrame frame = frame_of(context, now);
    const bool document =
        wants_json(request) || (request.path == "/v1/status" && !request.query.contains("output"));
    return document
               ? json_page(200, status_document(context.engine, context.configuration, frame, now))
               : page(200,
                      text_type,
                      status_text(context.engine, context.configuration, frame, now));
}

net::ServerResponse get_explanation(const ControlContext& context,
                                    const net::ServerRequest& request) {
    if (const std::string why = why_unknown(context.engine); !why.empty()) {
        return error_answer(503, why);
    }
    const core::ServiceKey key{request.segments[2], request.segments[3]};
    const auto explanation = context.engine.reconciler().explain(key, net::read_clock());
    if (!explanation) {
        return error_answer(404, explanation.error().message);
    }
    return wants_json(request) ? json_page(200, explanation_document(*explanation))
                               : page(200, text_type, routing::text_of(*explanation));
}

net::ServerResponse get_description(const ControlContext&, const net::ServerRequest&) {
    return page(200, json_type, control_description());
}

net::ServerResponse error_answer(unsigned status,
                                 std::string_view message,
                                 std::string_view field) {
    const json::object error{{"code", code_of(status)},
                             {"message", core::sanitize_detail(message, longest_message)},
                             {"field", field}};
    return json_page(status, {{"error", error}});
}

net::Awaitable<net::ServerResponse> answer_waiting(const ConfigurationView& view,
                                                   net::ServerRequest request) {
    if (request.path == "/livez") {
        co_return page(200, text_type, "ok\n");
    }
    if (request.path == "/metrics") {
        co_return page(200, telemetry::metrics_content_type, waiting_metrics(view));
    }
    const bool front = request.path == "/";
    if (front && page::names_html(request.header("accept"))) {
        co_return page::status_page(page::Mode::Controller);
    }
    const std::string text = fmt::format("waiting for a configuration: {}", view.problem);
    if (front || request.path == "/readyz" || request.path == "/status") {
        co_return page(503, text_type, text + "\n" + blocking(view.missing_rights));
    }
    co_return error_answer(503, text);
}

net::Awaitable<net::ServerResponse> answer(const ControlContext* context,
                                           net::ServerRequest request) {
    const ControlRoute* route = find_control_route(request.segments);
    if (route == nullptr) {
        co_return error_answer(
            404, "there is nothing at this path: /v1/openapi.json says what there is");
    }
    if (request.method != "GET" && request.method != "HEAD") {
        net::ServerResponse refused = error_answer(405, "this path answers GET, HEAD only");
        refused.headers.emplace_back("Allow", "GET, HEAD");
        co_return refused;
    }
    if (auto problem = wrong_query(*route, request.query)) {
        co_return error_answer(400, std::move(problem->message), problem->field);
    }
    if (route->answer != nullptr) {
        co_return route->answer(*context, request);
    }
    if (context->relay == nullptr) {
        co_return error_answer(403,
                               "the observer asks for a token, and this API is open to others than "
                               "this machine: what the observer says is not passed on");
    }
    co_return co_await context->relay->pass(std::move(request));
}

}  // namespace ome::controller
