// What the API answers: one table, from which requests are routed and openapi.json is written.
#pragma once

#include "api.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace ome::observer {

/// Of the query. Others are refused before a handler sees them.
struct Parameter {
    std::string_view name;
    std::string_view schema;  ///< JSON
    std::string_view description;
};

/// What becomes of parameters that a route does not take.
enum class OtherParameters : std::uint8_t {
    Refused,  ///< 400
    Ignored,  ///< kubelet and Prometheus: `/livez?verbose` must not end a pod
};

/// A status that is answered; what the server itself refuses is described once for all.
struct Reply {
    unsigned status;
    std::string_view description;
    std::string_view content_type;  ///< empty: no body
    std::string_view schema;        ///< the name of one in api_schemas.hpp; empty: plain text
};

struct Route {
    std::string_view method;
    std::string_view pattern;  ///< `{name}` stands for any one segment
    net::Awaitable<net::ServerResponse> (*answer)(ApiContext*, net::ServerRequest);
    std::string_view id;
    std::string_view summary;
    std::span<const Reply> replies;
    std::span<const Parameter> query = {};
    std::string_view body_type = {};  ///< content type of the request; empty: no body
    std::string_view body_schema = {};
    OtherParameters others = OtherParameters::Refused;
};

[[nodiscard]] std::span<const Route> api_routes();

/// The OpenAPI 3.0 document of the table.
[[nodiscard]] std::string api_description();

}  // namespace ome::observer
