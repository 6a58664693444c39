#include <ome/wire/openapi_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ome::wire {
namespace {

namespace json = boost::json;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

json::object schema_of(std::string_view name) {
    if (name.empty()) {
        return {{"type", "string"}};
    }
    return {{"$ref", fmt::format("#/components/schemas/{}", name)}};
}

void add_content(json::object& to, std::string_view type, std::string_view schema) {
    json::value& content = to["content"];
    json::object& types = content.is_object() ? content.get_object() : content.emplace_object();
    types[view(type)] = json::object{{"schema", schema_of(schema)}};
}

json::array parameters(const ApiOperation& operation) {
    json::array made;
    const std::string_view pattern = operation.pattern;
    for (std::size_t at = pattern.find('{'); at != std::string_view::npos;
         at = pattern.find('{', at + 1)) {
        const std::size_t end = pattern.find('}', at);
        made.push_back(
            json::object{{"name", view(pattern.substr(at + 1, end - at - 1))},
                         {"in", "path"},
                         {"required", true},
                         {"schema", {{"type", "string"}, {"pattern", "^[^\\u0000]*$"}}}});
    }
    for (const ApiParameter& one : operation.query) {
        made.push_back(json::object{{"name", view(one.name)},
                                    {"in", "query"},
                                    {"description", view(one.description)},
                                    {"schema", json::parse(view(one.schema))}});
    }
    return made;
}

void add_reply(json::object& responses,
               const std::string& status,
               const ApiReply& reply,
               bool head) {
    json::value& known = responses[status];
    json::object& made = known.is_object() ? known.get_object() : known.emplace_object();
    made["description"] = view(reply.description);
    if (!head && !reply.content_type.empty()) {
        add_content(made, reply.content_type, reply.schema);
    }
}

json::object responses_of(const ApiOperation& operation, bool head) {
    json::object responses;
    for (const ApiReply& reply : operation.replies) {
        add_reply(responses, std::to_string(reply.status), reply, head);
    }
    // What never reaches a handler: Host, size, time, framing.
    add_reply(responses,
              "default",
              {0, "The server refuses the request", "application/json", "ErrorAnswer"},
              false);
    return responses;
}

json::object operation_document(const ApiOperation& operation, bool head) {
    json::object made{{"operationId", fmt::format("{}{}", operation.id, head ? "Head" : "")},
                      {"summary", view(operation.summary)},
                      {"parameters", parameters(operation)},
                      {"responses", responses_of(operation, head)}};
    if (!operation.body_type.empty()) {
        json::object body{{"required", true}};
        add_content(body, operation.body_type, operation.body_schema);
        made["requestBody"] = std::move(body);
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

json::object paths(const std::vector<ApiOperation>& operations) {
    json::object made;
    for (const ApiOperation& operation : operations) {
        json::value& path = made[view(operation.pattern)];
        json::object& methods = path.is_object() ? path.get_object() : path.emplace_object();
        methods[lower(operation.method)] = operation_document(operation, false);
        if (operation.method == "GET") {
            methods["head"] = operation_document(operation, true);
        }
    }
    return made;
}

}  // namespace

std::string openapi_document(const ApiDescription& api) {
    const json::object document{{"openapi", "3.0.3"},
                                {"info",
                                 {{"title", view(api.title)},
                                  {"version", view(api.version)},
                                  {"description", view(api.description)}}},
                                {"paths", paths(api.operations)},
                                {"components", {{"schemas", json::parse(view(api.schemas))}}}};
    return json::serialize(document) + "\n";
}

}  // namespace ome::wire
