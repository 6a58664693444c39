// What the controller's own API answers: one table, from which requests are routed and openapi.json
// is written. All of it only reads: GET, and so HEAD.
#pragma once

#include "control_api.hpp"
#include <ome/wire/openapi_document.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ome::controller {

/// What becomes of query parameters that a route does not take.
enum class OtherParameters : std::uint8_t {
    Refused,  ///< 400: ignored, a misspelt one would pass for one that has an effect
    Ignored,  ///< the kubelet and Prometheus: `/livez?verbose` must not end a pod
};

struct ControlRoute {
    std::string_view pattern;  ///< `{name}` stands for any one segment
    /// Null: the observer's relay answers.
    net::ServerResponse (*answer)(const ControlContext&, const net::ServerRequest&);
    std::string_view id;
    std::string_view summary;
    std::span<const wire::ApiReply> replies;
    std::span<const wire::ApiParameter> query = {};
    OtherParameters others = OtherParameters::Refused;
};

[[nodiscard]] std::span<const ControlRoute> control_routes();

/// The one for a path; null: there is none.
[[nodiscard]] const ControlRoute* find_control_route(const std::vector<std::string>& segments);

/// The schemas of the answers, a JSON object of them.
[[nodiscard]] std::string_view control_schemas();

/// The OpenAPI 3.0 document of the table.
[[nodiscard]] std::string control_description();

// The handlers, in control_api.cpp.
[[nodiscard]] net::ServerResponse get_livez(const ControlContext&, const net::ServerRequest&);
[[nodiscard]] net::ServerResponse get_readyz(const ControlContext&, const net::ServerRequest&);
[[nodiscard]] net::ServerResponse get_metrics(const ControlContext&, const net::ServerRequest&);
[[nodiscard]] net::ServerResponse get_front(const ControlContext&, const net::ServerRequest&);
[[nodiscard]] net::ServerResponse get_status(const ControlContext&, const net::ServerRequest&);
[[nodiscard]] net::ServerResponse get_maps(const ControlContext&, const net::ServerRequest&);
[[nodiscard]] net::ServerResponse get_explanation(const ControlContext&, const net::ServerRequest&);
[[nodiscard]] net::ServerResponse get_diff(const ControlContext&, const net::ServerRequest&);
[[nodiscard]] net::ServerResponse get_description(const ControlContext&, const net::ServerRequest&);

}  // namespace ome::controller
