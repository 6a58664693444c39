// openapi.json, written from the table of routes.
#include "api_routes.hpp"
#include "api_schemas.hpp"
#include <ome/wire/openapi_document.hpp>

namespace ome::observer {
namespace {

wire::ApiOperation operation_of(const Route& route) {
    wire::ApiOperation made{.method = route.method,
                            .pattern = route.pattern,
                            .id = route.id,
                            .summary = route.summary,
                            .replies = {},
                            .body_type = route.body_type,
                            .body_schema = route.body_schema};
    for (const Reply& reply : route.replies) {
        made.replies.push_back({reply.status, reply.description, reply.content_type, reply.schema});
    }
    for (const Parameter& one : route.query) {
        made.query.push_back({one.name, one.schema, one.description});
    }
    return made;
}

}  // namespace

std::string api_description() {
    wire::ApiDescription api{
        .title = "ome-observer",
        .version = OME_VERSION,
        .description =
            "Declares services and reads what was observed of their homes. Every JSON answer and "
            "every line of a stream carries the instance; other answers have it in the header "
            "Ome-Observer-Instance.",
        .schemas = api_schemas(),
        .operations = {}};
    for (const Route& route : api_routes()) {
        api.operations.push_back(operation_of(route));
    }
    return wire::openapi_document(api);
}

net::Awaitable<net::ServerResponse> get_openapi(ApiContext* context, net::ServerRequest) {
    co_return text_answer(*context, "application/json", api_description());
}

}  // namespace ome::observer
