#include "control_routes.hpp"

#include <ome/core/path_pattern.hpp>

#include <array>

namespace ome::controller {
namespace {

using wire::ApiParameter;
using wire::ApiReply;

constexpr std::string_view json_type = "application/json";
constexpr std::string_view text_type = "text/plain";
constexpr std::string_view html_type = "text/html";
constexpr std::string_view ndjson_type = "application/x-ndjson";

constexpr ApiReply error(unsigned status, std::string_view description) {
    return {status, description, json_type, "ErrorAnswer"};
}

constexpr ApiReply bad_parameter =
    error(400, "A query parameter is not known, or has no valid value");

constexpr std::array front_replies{
    ApiReply{200, "For people: a page for what asks for text/html, else as /status", html_type, {}},
    ApiReply{200, "For people: a page for what asks for text/html, else as /status", text_type, {}},
};
constexpr std::array maps_replies{
    ApiReply{200, "The weights of all maps, as they are stored", json_type, "Maps"},
    bad_parameter,
};

// Of what is passed on the observer's own description tells more.
constexpr ApiReply no_observer = error(502, "The observer does not answer");
constexpr ApiReply no_relay =
    error(403, "The observer asks for a token, and this API is open to others than this machine");
constexpr ApiReply too_many = error(503, "Too many requests are being passed on");
constexpr ApiReply relayed{200, "What the observer answers", json_type, "Relayed"};
constexpr std::array relayed_replies{relayed, bad_parameter, no_relay, no_observer, too_many};
constexpr std::array relayed_list_replies{
    relayed,
    bad_parameter,
    no_relay,
    error(410, "The page belongs to an instance that is gone: list again"),
    no_observer,
    too_many,
};
constexpr std::array relayed_history_replies{
    relayed,
    bad_parameter,
    no_relay,
    error(404, "The service or the cluster is not declared"),
    no_observer,
    too_many,
};
constexpr std::array relayed_watch_replies{
    ApiReply{200, "What the observer answers: lines without end", ndjson_type, {}},
    bad_parameter,
    no_relay,
    no_observer,
    too_many,
};

constexpr std::string_view any_text = R"json({"type":"string"})json";
constexpr std::array list_parameters{
    ApiParameter{"namespace", any_text, "As the observer takes it"},
    ApiParameter{"limit", any_text, "As the observer takes it"},
    ApiParameter{"continue", any_text, "As the observer takes it"},
};
constexpr std::array watch_parameters{
    ApiParameter{"since", any_text, "As the observer takes it"},
    ApiParameter{"timeoutSeconds", any_text, "As the observer takes it"},
};
constexpr std::array history_parameters{
    ApiParameter{"cluster", any_text, "As the observer takes it"},
};

constexpr std::array status_replies{
    ApiReply{
        200, "Maps, what is frozen and why, and files that cannot be used", json_type, "Status"},
    ApiReply{200, "Maps, what is frozen and why, and files that cannot be used", text_type, {}},
    bad_parameter,
};
constexpr std::array explanation_replies{
    ApiReply{200, "How each weight comes about", json_type, "Explanation"},
    ApiReply{200, "How each weight comes about", text_type, {}},
    bad_parameter,
    error(404, "The service is not there, or is not routed; the message says why"),
    error(503, "Another controller leads, or the store is being read; the message says which"),
};
constexpr std::array diff_replies{
    ApiReply{200, "How live maps compare with those that would be written", json_type, "Diff"},
    bad_parameter,
    error(404, "The controller does not run with --dry-run"),
};
constexpr std::array description_replies{
    ApiReply{200, "This document", json_type, "Description"},
    bad_parameter,
};
constexpr std::array metrics_replies{ApiReply{200, "Metrics", text_type, {}}};
constexpr std::array livez_replies{ApiReply{200, "The process answers", text_type, {}}};
constexpr std::array readyz_replies{
    ApiReply{200, "The store has been read, or another controller holds it", text_type, {}},
    ApiReply{
        503, "What the text names is waited for, or the process is shutting down", text_type, {}},
};

constexpr std::array output{ApiParameter{
    "output",
    R"json({"type":"string","enum":["text","json"]})json",
    "text: for people. json: for programs. Without it the header Accept decides where it names "
    "application/json; else it is text, and at /v1/status json"}};

constexpr std::array routes{
    ControlRoute{"/v1/status", get_status, "readStatus", "The controller", status_replies, output},
    ControlRoute{"/status",
                 get_status,
                 "readStatusTable",
                 "The controller, for people",
                 status_replies,
                 output},
    ControlRoute{"/",
                 get_front,
                 "readPage",
                 "The status page of a browser",
                 front_replies,
                 {},
                 OtherParameters::Ignored},
    ControlRoute{"/v1/maps", get_maps, "readMaps", "The weights of all maps", maps_replies},
    ControlRoute{"/v1/maps/{namespace}/{name}/explain",
                 get_explanation,
                 "explainMap",
                 "Why the weights of a map are what they are",
                 explanation_replies,
                 output},
    ControlRoute{"/v1/diff",
                 get_diff,
                 "readDiff",
                 "Live maps beside those that a dry run would write",
                 diff_replies},
    ControlRoute{"/observer/v1/status",
                 nullptr,
                 "readObserverStatus",
                 "The observer's /v1/status",
                 relayed_replies},
    ControlRoute{"/observer/v1/services",
                 nullptr,
                 "listObserverServices",
                 "The observer's /v1/services",
                 relayed_list_replies,
                 list_parameters},
    ControlRoute{"/observer/v1/services/{namespace}/{name}/history",
                 nullptr,
                 "readObserverHistory",
                 "The observer's history of a service",
                 relayed_history_replies,
                 history_parameters},
    ControlRoute{"/observer/v1/watch",
                 nullptr,
                 "watchObserver",
                 "The observer's /v1/watch, without holder",
                 relayed_watch_replies,
                 watch_parameters},
    ControlRoute{"/v1/openapi.json",
                 get_description,
                 "readDescription",
                 "This description",
                 description_replies},
    ControlRoute{"/metrics",
                 get_metrics,
                 "readMetrics",
                 "For Prometheus",
                 metrics_replies,
                 {},
                 OtherParameters::Ignored},
    ControlRoute{"/livez",
                 get_livez,
                 "readLiveness",
                 "Liveness",
                 livez_replies,
                 {},
                 OtherParameters::Ignored},
    ControlRoute{"/readyz",
                 get_readyz,
                 "readReadiness",
                 "Readiness",
                 readyz_replies,
                 {},
                 OtherParameters::Ignored},
};

}  // namespace

std::span<const ControlRoute> control_routes() {
    return routes;
}

const ControlRoute* find_control_route(const std::vector<std::string>& segments) {
    for (const ControlRoute& route : routes) {
        if (core::fits_pattern(route.pattern, segments)) {
            return &route;
        }
    }
    return nullptr;
}

std::string control_description() {
    wire::ApiDescription api{.title = "ome-trafficmap",
                             .version = OME_VERSION,
                             .description =
                                 "Shows what the controller keeps and why. Nothing can "
                                 "be changed here.",
                             .schemas = control_schemas(),
                             .operations = {}};
    for (const ControlRoute& route : routes) {
        api.operations.push_back({.method = "GET",
                                  .pattern = route.pattern,
                                  .id = route.id,
                                  .summary = route.summary,
                                  .replies = {route.replies.begin(), route.replies.end()},
                                  .query = {route.query.begin(), route.query.end()}});
    }
    return wire::openapi_document(api);
}

}  // namespace ome::controller
