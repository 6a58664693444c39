// The OpenAPI 3.0 document of an API, from the table that its requests are routed by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// Of the query.
struct ApiParameter {
    std::string_view name;
    std::string_view schema;  ///< JSON
    std::string_view description;
};

/// A status that is answered. One with several content types is there once for each.
struct ApiReply {
    unsigned status;
    std::string_view description;
    std::string_view content_type;  ///< empty: no body
    std::string_view schema;        ///< the name of one of ApiDescription; empty: plain text
};

struct ApiOperation {
    std::string_view method;
    std::string_view pattern;  ///< `{name}` stands for any one segment
    std::string_view id;
    std::string_view summary;
    std::vector<ApiReply> replies;
    std::vector<ApiParameter> query = {};
    std::string_view body_type = {};  ///< content type of the request; empty: no body
    std::string_view body_schema = {};
};

struct ApiDescription {
    std::string_view title;
    std::string_view version;
    std::string_view description;
    std::string_view schemas;  ///< a JSON object of them; `ErrorAnswer` is what the server refuses
                               ///< requests with
    std::vector<ApiOperation> operations;
};

/// A line of JSON. Whatever answers GET answers HEAD, too.
[[nodiscard]] std::string openapi_document(const ApiDescription& api);

}  // namespace ome::wire
