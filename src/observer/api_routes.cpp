#include "api_routes.hpp"

#include <array>

namespace ome::observer {
namespace {

constexpr std::string_view json_type = "application/json";
constexpr std::string_view ndjson_type = "application/x-ndjson";
constexpr std::string_view text_type = "text/plain";
constexpr std::string_view html_type = "text/html";

constexpr Reply error(unsigned status, std::string_view description) {
    return {status, description, json_type, "ErrorAnswer"};
}

constexpr Reply fixed = error(409, "Services come from a file (--services)");
constexpr Reply not_declared = error(404, "The service is not declared");
constexpr Reply wrong_type = error(415, "The Content-Type is another one");
constexpr Reply bad_parameter_reply = error(
    400,
    "A query parameter is not known here, is given twice or has no valid value; or there is a "
    "body");

constexpr std::array put_service_replies{
    Reply{200, "The readings of the service", json_type, "Service"},
    error(400,
          "The body is not JSON, or was cut short; or a query parameter is not known here or is "
          "given twice"),
    error(408, "The body did not arrive in time"),
    fixed,
    error(413, "The body is larger than 1 MiB"),
    wrong_type,
    error(422, "The declaration is not valid; the previous one stays"),
};
constexpr std::array get_service_replies{
    Reply{200, "The readings of the service", json_type, "Service"},
    not_declared,
    bad_parameter_reply,
};
constexpr std::array delete_service_replies{
    Reply{204, "It is forgotten, or was not there", {}, {}},
    fixed,
    bad_parameter_reply,
};
constexpr std::array get_services_replies{
    Reply{200, "A page of services, by namespace and name", json_type, "ServiceList"},
    bad_parameter_reply,
    error(410, "The page belongs to an instance that is gone: list again"),
};
constexpr std::array put_services_replies{
    Reply{
        200, "What became of the lines, also when every one was rejected", json_type, "BulkAnswer"},
    error(400,
          "The body was cut short; complete lines were applied, nothing was forgotten. Or a query "
          "parameter is not known here or is given twice: nothing was applied"),
    error(408,
          "The body did not arrive in time; complete lines were applied, nothing was forgotten"),
    fixed,
    wrong_type,
};
constexpr std::array watch_replies{
    Reply{200, "Lines without end", ndjson_type, "WatchLine"},
    bad_parameter_reply,
    error(503, "As many watches are open as there may be (--api-max-watches)"),
};
constexpr std::array attempts_replies{
    Reply{202, "What was started", json_type, "AttemptsAnswer"},
    not_declared,
    error(409, "The service is suspended"),
    error(429, "Too soon after the last time; Retry-After says when"),
    bad_parameter_reply,
};
constexpr std::array history_replies{
    Reply{200,
          "The last attempts of each home, the newest first, and older ones that changed something",
          json_type,
          "History"},
    error(404, "The service or the cluster is not declared"),
    bad_parameter_reply,
};
constexpr std::array status_replies{
    Reply{200, "Whether it keeps up, in figures", json_type, "Status"},
    bad_parameter_reply,
};
constexpr std::array config_replies{
    Reply{200, "The settings in force, without secrets", json_type, "Config"},
    bad_parameter_reply,
};
constexpr std::array description_replies{
    Reply{200, "This description", json_type, "Description"},
    bad_parameter_reply,
};
constexpr std::array text_replies{
    Reply{200, "For people", text_type, {}},
    bad_parameter_reply,
};
constexpr std::array front_replies{
    Reply{200, "For people: a page for what asks for text/html, else as /status", html_type, {}},
    Reply{200, "For people: a page for what asks for text/html, else as /status", text_type, {}},
};
constexpr std::array metrics_replies{
    Reply{200, "Prometheus' text format", text_type, {}},
};
constexpr std::array livez_replies{
    Reply{200, "The API answers", text_type, {}},
};
constexpr std::array readyz_replies{
    Reply{200, "Ready for declarations", text_type, {}},
    Reply{503, "Shutting down", text_type, {}},
};

// A NUL is refused before any handler sees it.
constexpr std::string_view no_nul = R"({"type":"string","pattern":"^[^\\u0000]*$"})";

constexpr std::array list_parameters{
    Parameter{"namespace", no_nul, "Only services of this namespace"},
    Parameter{"limit",
              R"({"type":"integer","minimum":1,"maximum":1000000000})",
              "Services on a page; all without it"},
    Parameter{
        "continue",
        R"({"type":"string","pattern":"^([^:\\u0000]*:[0-9]{1,19}:[^/\\u0000]*/[^\\u0000]*)?$"})",
        "`continue` of the page before"},
};
constexpr std::array watch_parameters{
    Parameter{"since",
              R"({"type":"string","pattern":"^.+:[0-9]{1,19}$"})",
              "INSTANCE:REVISION of a list or a line: only what changed after it. Without it, all "
              "readings first"},
    Parameter{"holder",
              R"({"type":"string","minLength":1,"maxLength":128,"pattern":"^[ -~]+$"})",
              "Who wants what is declared: while this watch is open, declarations stay"},
    Parameter{"timeoutSeconds",
              R"({"type":"integer","minimum":1,"maximum":86400})",
              "The watch ends after this time, with a Bookmark"},
};
constexpr std::array history_parameters{
    Parameter{"cluster", no_nul, "Only this home"},
};

constexpr std::array routes{
    Route{"PUT",
          "/v1/services/{namespace}/{name}",
          put_service,
          "declareService",
          "Declare one service completely; what has not changed keeps its history",
          put_service_replies,
          {},
          json_type,
          "Declaration"},
    Route{"GET",
          "/v1/services/{namespace}/{name}",
          get_service,
          "readService",
          "Readings of one service",
          get_service_replies},
    Route{"DELETE",
          "/v1/services/{namespace}/{name}",
          delete_service,
          "forgetService",
          "Forget a service",
          delete_service_replies},
    Route{"POST",
          "/v1/services/{namespace}/{name}/attempts",
          post_attempts,
          "checkNow",
          "One attempt more for every home and kind; the rhythm stays",
          attempts_replies},
    Route{"GET",
          "/v1/services/{namespace}/{name}/history",
          get_history,
          "readHistory",
          "The last attempts of each home",
          history_replies,
          history_parameters},
    Route{"GET",
          "/v1/services",
          get_services,
          "listServices",
          "Readings of all services, by pages",
          get_services_replies,
          list_parameters},
    Route{
        "PUT",
        "/v1/services",
        put_services,
        "declareAllServices",
        "Declare the whole set, a service a line of at most 1 MiB; what no line names is forgotten",
        put_services_replies,
        {},
        ndjson_type,
        "NamedDeclaration"},
    Route{"GET",
          "/v1/watch",
          get_watch,
          "watch",
          "Changes as they happen, a line each",
          watch_replies,
          watch_parameters},
    Route{"GET", "/v1/status", get_status, "readStatus", "Is it keeping up?", status_replies},
    Route{"GET", "/v1/config", get_config, "readConfig", "The settings in force", config_replies},
    Route{"GET",
          "/status",
          get_status_text,
          "readStatusText",
          "Is it keeping up? As a table",
          text_replies},
    Route{"GET",
          "/",
          get_front,
          "readPage",
          "The status page of a browser",
          front_replies,
          {},
          {},
          {},
          OtherParameters::Ignored},
    Route{"GET",
          "/metrics",
          get_metrics,
          "readMetrics",
          "For Prometheus",
          metrics_replies,
          {},
          {},
          {},
          OtherParameters::Ignored},
    Route{"GET",
          "/livez",
          get_livez,
          "readLiveness",
          "Liveness",
          livez_replies,
          {},
          {},
          {},
          OtherParameters::Ignored},
    Route{"GET",
          "/readyz",
          get_readyz,
          "readReadiness",
          "Readiness",
          readyz_replies,
          {},
          {},
          {},
          OtherParameters::Ignored},
    Route{"GET",
          "/openapi.json",
          get_openapi,
          "readDescription",
          "This description",
          description_replies},
};

}  // namespace

std::span<const Route> api_routes() {
    return routes;
}

}  // namespace ome::observer
