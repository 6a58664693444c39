#include "api.hpp"

#include <ome/wire/json_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace ome::observer {
namespace {

namespace json = boost::json;

using Answer = net::Awaitable<net::ServerResponse> (*)(ApiContext*, net::ServerRequest);

struct Route {
    std::string_view method;
    std::string_view pattern;  ///< `{}` stands for any one segment
    Answer answer;
};

constexpr std::array<Route, 10> routes{{
    {"PUT", "/v1/services/{}/{}", put_service},
    {"GET", "/v1/services/{}/{}", get_service},
    {"DELETE", "/v1/services/{}/{}", delete_service},
    {"GET", "/v1/services", get_services},
    {"GET", "/v1/status", get_status},
    {"GET", "/v1/config", get_config},
    {"GET", "/status", get_status_text},
    {"GET", "/metrics", get_metrics},
    {"GET", "/livez", get_livez},
    {"GET", "/readyz", get_readyz},
}};

constexpr std::array<std::string_view, 3> health_patterns{"/metrics", "/livez", "/readyz"};

bool fits(std::string_view pattern, const std::vector<std::string>& segments) {
    for (const std::string& segment : segments) {
        if (pattern.empty()) {
            return false;
        }
        pattern.remove_prefix(1);
        const std::string_view part = pattern.substr(0, pattern.find('/'));
        if (part != "{}" && part != segment) {
            return false;
        }
        pattern.remove_prefix(part.size());
    }
    return pattern.empty();
}

std::string_view code_of(unsigned status) {
    switch (status) {
        case 400:
            return "BadRequest";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "NotFound";
        case 405:
            return "MethodNotAllowed";
        case 408:
            return "RequestTimeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 413:
            return "TooLarge";
        case 415:
            return "UnsupportedMediaType";
        case 422:
            return "Invalid";
        case 431:
            return "HeaderTooLarge";
        case 503:
            return "Unavailable";
        default:
            return "Error";
    }
}

net::ServerResponse not_allowed(const ApiContext& context,
                                const std::vector<std::string_view>& methods) {
    const std::string allow = fmt::format("{}", fmt::join(methods, ", "));
    net::ServerResponse response =
        error_answer(context, 405, {fmt::format("this path answers {} only", allow)});
    response.headers.emplace_back("Allow", allow);
    return response;
}

net::Awaitable<net::ServerResponse> dispatch(ApiContext* context,
                                             net::ServerRequest request,
                                             bool health_only) {
    std::vector<std::string_view> methods;
    for (const Route& route : routes) {
        const bool served = !health_only || std::find(health_patterns.begin(),
                                                      health_patterns.end(),
                                                      route.pattern) != health_patterns.end();
        if (!served || !fits(route.pattern, request.segments)) {
            continue;
        }
        const bool head = request.method == "HEAD" && route.method == "GET";
        if (head || request.method == route.method) {
            co_return co_await route.answer(context, std::move(request));
        }
        methods.push_back(route.method);
        if (route.method == "GET") {
            methods.push_back("HEAD");
        }
    }
    if (!methods.empty()) {
        co_return not_allowed(*context, methods);
    }
    core::Problem problem{fmt::format("no such path: {}", request.path)};
    co_return error_answer(*context, 404, problem);
}

}  // namespace

net::ServerResponse json_answer(const ApiContext& context, unsigned status, json::object body) {
    body["instance"] = context.hub.instance();
    net::ServerResponse response;
    response.status = status;
    response.content_type = "application/json";
    response.body = wire::to_text(body) + "\n";
    return response;
}

net::ServerResponse error_answer(const ApiContext& context,
                                 unsigned status,
                                 const core::Problem& problem) {
    json::object error{{"code", code_of(status)}, {"message", problem.message}};
    if (!problem.field.empty()) {
        error["field"] = problem.field;
    }
    return json_answer(context, status, {{"error", std::move(error)}});
}

net::ServerResponse text_answer(const ApiContext& context,
                                std::string content_type,
                                std::string text) {
    net::ServerResponse response;
    response.content_type = std::move(content_type);
    response.headers.emplace_back("Ome-Observer-Instance", context.hub.instance());
    response.body = std::move(text);
    return response;
}

net::Awaitable<net::ServerResponse> answer(ApiContext* context, net::ServerRequest request) {
    return dispatch(context, std::move(request), false);
}

net::Awaitable<net::ServerResponse> answer_health(ApiContext* context, net::ServerRequest request) {
    return dispatch(context, std::move(request), true);
}

}  // namespace ome::observer
