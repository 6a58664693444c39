#include "api.hpp"

#include "api_routes.hpp"
#include <ome/core/path_pattern.hpp>
#include <ome/core/query_parameters.hpp>
#include <ome/core/text.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/algorithm/string/predicate.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ome::observer {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> health_patterns{"/metrics", "/livez", "/readyz"};

constexpr std::size_t longest_parameter_shown = 64;

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
        case 417:
            return "ExpectationFailed";
        case 422:
            return "Invalid";
        case 429:
            return "TooManyRequests";
        case 431:
            return "HeaderTooLarge";
        case 500:
            return "InternalError";
        case 501:
            return "NotImplemented";
        case 503:
            return "Unavailable";
        case 505:
            return "HttpVersionNotSupported";
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

// So a handler sees the parameters that the table describes and no others, and none can be used
// without being described.
std::optional<core::Problem> stranger_among(std::map<std::string, std::string>& query,
                                            const Route& route) {
    std::vector<std::string> known;
    for (const Parameter& one : route.query) {
        known.emplace_back(one.name);
    }
    if (route.others == OtherParameters::Refused) {
        return core::unknown_parameter(query, known);
    }
    std::erase_if(query, [&known](const auto& given) {
        return std::find(known.begin(), known.end(), given.first) == known.end();
    });
    return std::nullopt;
}

// One of the two would be ignored, and the client could not know which.
std::optional<core::Problem> repeated_in(const net::ServerRequest& request, const Route& route) {
    if (request.repeated.empty() || route.others != OtherParameters::Refused) {
        return std::nullopt;
    }
    const std::string name = core::shorten_bytes(request.repeated, longest_parameter_shown);
    return core::Problem{
        fmt::format("the query parameter {} is given more than once", core::go_quote(name)), name};
}

// Whoever sends one expects something of it. An empty one is none, however it is framed; one that
// was begun and not finished is one.
net::Awaitable<bool> brings_body(std::shared_ptr<net::RequestBody> body) {
    const std::optional<std::string> piece = co_await body->next();
    co_return piece.has_value() || !body->complete();
}

net::Awaitable<net::ServerResponse> answer_by(const Route* route,
                                              ApiContext* context,
                                              net::ServerRequest request) {
    if (const auto problem = repeated_in(request, *route)) {
        co_return error_answer(*context, 400, *problem);
    }
    if (const auto problem = stranger_among(request.query, *route)) {
        co_return error_answer(*context, 400, *problem);
    }
    if (route->body_type.empty() && route->others == OtherParameters::Refused) {
        const bool unwanted = co_await brings_body(request.body);
        if (unwanted) {
            core::Problem problem{fmt::format("{} {} takes no body", request.method, request.path),
                                  "body"};
            co_return error_answer(*context, 400, problem);
        }
    }
    co_return co_await route->answer(context, std::move(request));
}

net::Awaitable<net::ServerResponse> dispatch(ApiContext* context,
                                             net::ServerRequest request,
                                             bool health_only) {
    std::vector<std::string_view> methods;
    for (const Route& route : api_routes()) {
        const bool served = !health_only || std::find(health_patterns.begin(),
                                                      health_patterns.end(),
                                                      route.pattern) != health_patterns.end();
        if (!served || !core::fits_pattern(route.pattern, request.segments)) {
            continue;
        }
        const bool head = request.method == "HEAD" && route.method == "GET";
        if (head || request.method == route.method) {
            co_return co_await answer_by(&route, context, std::move(request));
        }
        methods.push_back(route.method);
        if (route.method == "GET") {
            methods.push_back("HEAD");
        }
    }
    if (!methods.empty()) {
        co_return not_allowed(*context, methods);
    }
    core::Problem problem{fmt::format("no such path: {}", core::sanitize_detail(request.path))};
    co_return error_answer(*context, 404, problem);
}

}  // namespace

net::ServerResponse json_answer(const ApiContext& context, unsigned status, json::object body) {
    body["instance"] = context.hub.instance();
    net::ServerResponse response;
    response.status = status;
    response.content_type = "application/json";
    response.headers.emplace_back("Ome-Observer-Instance", context.hub.instance());  // for HEAD
    response.body = wire::to_text(body) + "\n";
    return response;
}

net::ServerResponse error_answer(const ApiContext& context,
                                 unsigned status,
                                 const core::Problem& problem) {
    return json_answer(context, status, {{"error", error_document(status, problem)}});
}

json::object error_document(unsigned status, const core::Problem& problem) {
    return {{"code", code_of(status)}, {"message", problem.message}, {"field", problem.field}};
}

core::Problem bad_parameter(std::string_view name, std::string_view value, std::string_view rule) {
    return {fmt::format("{} {} {}", name, core::go_quote(value), rule), std::string(name)};
}

core::ServiceKey key_of(const net::ServerRequest& request) {
    return {request.segments[2], request.segments[3]};
}

net::ServerResponse not_declared_answer(const ApiContext& context,
                                        const core::ServiceKey& service) {
    return error_answer(
        context,
        404,
        {fmt::format("service {} is not declared",
                     core::sanitize_detail(fmt::format("{}/{}", service.ns, service.name)))});
}

net::ServerResponse fixed_services_answer(const ApiContext& context) {
    return error_answer(
        context,
        409,
        {fmt::format("services come from {} (--services): declarations are not accepted; "
                     "edit the file and send SIGHUP",
                     context.settings.services_file)});
}

std::optional<net::ServerResponse> wrong_type_answer(const ApiContext& context,
                                                     const net::ServerRequest& request,
                                                     std::string_view type) {
    const std::string_view given = request.header("content-type");
    std::string_view bare = given.substr(0, given.find(';'));
    bare = bare.substr(0, bare.find_last_not_of(" \t") + 1);
    if (boost::algorithm::iequals(bare, type)) {
        return std::nullopt;
    }
    return error_answer(
        context,
        415,
        {fmt::format("Content-Type {} must be {}", core::go_quote(given), type), "Content-Type"});
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
