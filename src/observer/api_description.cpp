// openapi.json, written from the table of routes.
#include "api_routes.hpp"
#include "api_schemas.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ome::observer {
namespace {

namespace json = boost::json;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

json::object content(std::string_view type, std::string_view schema) {
    json::object described{{"type", "string"}};
    if (!schema.empty()) {
        described = {{"$ref", fmt::format("#/components/schemas/{}", schema)}};
    }
    json::object made;
    made[view(type)] = json::object{{"schema", std::move(described)}};
    return made;
}

json::object reply_document(const Reply& reply, bool with_body) {
    json::object made{{"description", view(reply.description)}};
    if (with_body && !reply.content_type.empty()) {
        made["content"] = content(reply.content_type, reply.schema);
    }
    return made;
}

// What never reaches a handler: Host, size, time, framing.
json::object refusals() {
    return reply_document({0, "The server refuses the request", "application/json", "ErrorAnswer"},
                          true);
}

json::array parameters(const Route& route) {
    json::array made;
    for (std::size_t at = route.pattern.find('{'); at != std::string_view::npos;
         at = route.pattern.find('{', at + 1)) {
        const std::size_t end = route.pattern.find('}', at);
        made.push_back(
            json::object{{"name", view(route.pattern.substr(at + 1, end - at - 1))},
                         {"in", "path"},
                         {"required", true},
                         {"schema", {{"type", "string"}, {"pattern", "^[^\\u0000]*$"}}}});
    }
    for (const Parameter& one : route.query) {
        made.push_back(json::object{{"name", view(one.name)},
                                    {"in", "query"},
                                    {"description", view(one.description)},
                                    {"schema", json::parse(view(one.schema))}});
    }
    return made;
}

json::object operation(const Route& route, bool head) {
    json::object responses;
    for (const Reply& reply : route.replies) {
        responses[std::to_string(reply.status)] = reply_document(reply, !head);
    }
    responses["default"] = refusals();
    json::object made{{"operationId", fmt::format("{}{}", route.id, head ? "Head" : "")},
                      {"summary", view(route.summary)},
                      {"parameters", parameters(route)},
                      {"responses", std::move(responses)}};
    if (!route.body_type.empty()) {
        made["requestBody"] = json::object{
            {"required", true}, {"content", content(route.body_type, route.body_schema)}};
    }
    return made;
}

std::string lower(std::string_view method) {
    std::string text(method);
    for (char& c : text) {
        c = static_cast<char>(c | 0x20);
    }
    return text;
}

json::object paths() {
    json::object made;
    for (const Route& route : api_routes()) {
        json::value& path = made[view(route.pattern)];
        json::object& methods = path.is_object() ? path.get_object() : path.emplace_object();
        methods[lower(route.method)] = operation(route, false);
        if (route.method == "GET") {
            methods["head"] = operation(route, true);
        }
    }
    return made;
}

}  // namespace

std::string api_description() {
    json::object document{
        {"openapi", "3.0.3"},
        {"info",
         {{"title", "ome-observer"},
          {"version", OME_VERSION},
          {"description",
           "Declares services and reads what was observed of their homes. Every JSON answer and "
           "every line of a stream carries the instance; other answers have it in the header "
           "Ome-Observer-Instance."}}},
        {"paths", paths()},
        {"components", {{"schemas", json::parse(view(api_schemas()))}}},
    };
    return json::serialize(document) + "\n";
}

net::Awaitable<net::ServerResponse> get_openapi(ApiContext* context, net::ServerRequest) {
    co_return text_answer(*context, "application/json", api_description());
}

}  // namespace ome::observer
