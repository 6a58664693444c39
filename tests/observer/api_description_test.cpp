// Holds openapi.json and the handlers together: every answer that this exercise meets is described,
// and every described one is met.
#include "api_fixture.hpp"
#include "api_schemas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace ome::observer {
namespace {

namespace json = boost::json;

class ApiDescription : public ApiTest {
protected:
    static json::value document() { return json::parse(api_description()); }

    /// Of the table, for a request.
    static const Route* route_of(const std::string& method, const std::string& path) {
        const auto parts = split(path, '/');
        for (const Route& route : api_routes()) {
            const auto pattern = split(std::string(route.pattern), '/');
            bool same = route.method == method && parts.size() == pattern.size();
            for (std::size_t i = 0; same && i < parts.size(); ++i) {
                same = pattern[i].starts_with('{') || pattern[i] == parts[i];
            }
            if (same) {
                return &route;
            }
        }
        return nullptr;
    }

    /// Calls, notes the status as met, and compares the document with its schema.
    ApiAnswer meet(const std::string& method,
                   const std::string& target,
                   const std::string& body = {},
                   const std::string& type = "application/json",
                   Ending ending = Ending::Complete) {
        ApiAnswer answer = call_in_pieces(method, target, {body}, type, ending);
        const Route* route = route_of(method, target.substr(0, target.find('?')));
        EXPECT_NE(route, nullptr) << target;
        if (route == nullptr) {
            return answer;
        }
        met.insert(fmt::format("{} {}", route->id, answer.status));
        const auto reply =
            std::find_if(route->replies.begin(), route->replies.end(), [&answer](const Reply& one) {
                return one.status == answer.status;
            });
        EXPECT_NE(reply, route->replies.end()) << target << " answers " << answer.status;
        if (reply != route->replies.end() && !reply->schema.empty()) {
            const std::string text = answer.stream ? read_all(answer) : answer.text;
            for (const std::string& one :
                 route->id == "watch" ? split(text, '\n') : std::vector<std::string>{text}) {
                if (!one.empty()) {
                    compare(json::parse(one), schema(reply->schema), target);
                }
            }
        }
        return answer;
    }

    static json::value schemas() {
        const std::string_view text = api_schemas();
        return json::parse(json::string_view(text.data(), text.size()));
    }

    static json::value schema(std::string_view name) {
        return schemas().at(json::string_view(name.data(), name.size()));
    }

    // A line of a stream: the one of the choices whose type it has.
    static json::value resolved(json::value schema_value, const json::value& value) {
        while (schema_value.as_object().contains("$ref")) {
            const std::string ref(schema_value.at("$ref").as_string());
            schema_value = schema(ref.substr(ref.rfind('/') + 1));
        }
        if (schema_value.as_object().contains("oneOf")) {
            const std::string line = std::string(value.at("type").as_string()) + "Line";
            return schema(line);
        }
        return schema_value;
    }

    /// One of the words that are described, and no longer than described.
    static void compare_text(const json::value& value,
                             const json::object& rules,
                             const std::string& at) {
        if (const json::value* words = rules.if_contains("enum")) {
            const json::array& known = words->as_array();
            EXPECT_NE(std::find(known.begin(), known.end(), value), known.end())
                << at << ": " << value << " is not described";
        }
        if (const json::value* most = rules.if_contains("maxLength")) {
            EXPECT_LE(value.as_string().size(), most->to_number<std::size_t>()) << at;
        }
    }

    /// Every member is described, and every required one is there.
    static void compare(const json::value& value, const json::value& raw, const std::string& at) {
        const json::value described = resolved(raw, value);
        const json::object& rules = described.as_object();
        if (value.is_string()) {
            compare_text(value, rules, at);
        }
        if (value.is_array()) {
            for (const json::value& item : value.as_array()) {
                compare(item, rules.at("items"), at + "[]");
            }
        }
        if (!value.is_object() || rules.contains("additionalProperties")) {
            return;
        }
        for (const auto& [name, member] : value.as_object()) {
            const std::string place = at + "." + std::string(name);
            const json::value* rule = rules.at("properties").as_object().if_contains(name);
            EXPECT_NE(rule, nullptr) << place << " is not described";
            if (rule != nullptr) {
                compare(member, *rule, place);
            }
        }
        if (const json::value* required = rules.if_contains("required")) {
            for (const json::value& name : required->as_array()) {
                EXPECT_TRUE(value.as_object().contains(name.as_string()))
                    << at << " lacks " << name;
            }
        }
    }

    void meet_declarations() {
        json::object declared = declaration("one", {"a", "b"});
        declared["unheardOf"] = true;
        const std::string one = json::serialize(declared);
        meet("PUT", "/v1/services/prod/one", one);
        meet("PUT", "/v1/services/prod/one", "{");
        meet("PUT", "/v1/services/prod/one", std::string(1024 * 1024 + 1, ' '));
        meet("PUT", "/v1/services/prod/one", one, "text/plain");
        meet("PUT", "/v1/services/prod/one", one, "application/json", Ending::TooSlow);
        meet("PUT", "/v1/services/prod/one", "{}");
        meet("PUT", "/v1/services/prod/one", R"({"owner":1})");
        settle();
        meet("GET", "/v1/services/prod/one");
        meet("GET", "/v1/services/prod/other");
        meet("DELETE", "/v1/services/prod/other");
        meet("PUT", "/v1/services", one + "\n{\"unheardOf\":1}\n", "application/x-ndjson");
        meet("PUT", "/v1/services", one, "application/x-ndjson", Ending::CutShort);
        meet("PUT", "/v1/services", one, "application/x-ndjson", Ending::TooSlow);
        meet("PUT", "/v1/services", one, "application/json");
        context->fixed_services = true;
        meet("PUT", "/v1/services/prod/one", one);
        meet("DELETE", "/v1/services/prod/one");
        meet("PUT", "/v1/services", one, "application/x-ndjson");
        context->fixed_services = false;
    }

    void meet_attempts() {
        meet("POST", "/v1/services/prod/one/attempts");
        meet("POST", "/v1/services/prod/one/attempts");
        meet("POST", "/v1/services/prod/other/attempts");
        json::object suspended = declaration("still", {});
        suspended["suspended"] = true;
        put(suspended);
        meet("POST", "/v1/services/prod/still/attempts");
        settle();
        meet("GET", "/v1/services/prod/one/history");
        meet("GET", "/v1/services/prod/other/history");
    }

    void meet_reading() {
        meet("GET", "/v1/services");
        meet("GET", "/v1/services?limit=x");
        meet("GET", "/v1/services?continue=gone:1:a/b");
        meet("GET", "/v1/watch?timeoutSeconds=1");
        meet("GET", "/v1/watch?since=gone:1");
        meet("GET", "/v1/watch?since=x");
        std::vector<ApiAnswer> open;
        while (!hub->watches().full()) {
            open.push_back(call("GET", "/v1/watch"));
        }
        meet("GET", "/v1/watch");
    }

    void meet_the_rest() {
        for (const char* path : {"/v1/status",
                                 "/v1/config",
                                 "/status",
                                 "/",
                                 "/metrics",
                                 "/livez",
                                 "/readyz",
                                 "/openapi.json"}) {
            meet("GET", path);
        }
        ready = false;
        meet("GET", "/readyz");
    }

    /// One that no route has.
    void meet_strangers() {
        for (const Route& route : api_routes()) {
            if (route.others == OtherParameters::Refused) {
                meet(std::string(route.method), place_of(route.pattern) + "?stranger=1");
            }
        }
    }

    static std::string place_of(std::string_view pattern) {
        std::string path(pattern);
        for (const auto& [part, name] :
             {std::pair("{namespace}", "prod"), std::pair("{name}", "one")}) {
            if (const auto at = path.find(part); at != path.npos) {
                path.replace(at, std::string_view(part).size(), name);
            }
        }
        return path;
    }

    std::set<std::string> met;
};

TEST_F(ApiDescription, EveryAnswerIsDescribedAndEveryDescribedAnswerIsMet) {
    meet_declarations();
    meet_attempts();
    meet_reading();
    meet_the_rest();
    meet_strangers();
    std::set<std::string> described;
    for (const Route& route : api_routes()) {
        for (const Reply& reply : route.replies) {
            described.insert(fmt::format("{} {}", route.id, reply.status));
        }
    }
    EXPECT_EQ(met, described);
}

TEST_F(ApiDescription, AnAttemptIsDescribedInTheWordsThatTheCoreUses) {
    const auto words = [](const std::string& member) {
        std::set<std::string> found;
        const json::value attempt = schema("Attempt");
        for (const json::value& word : attempt.at("properties").at(member).at("enum").as_array()) {
            found.emplace(word.as_string());
        }
        return found;
    };
    std::set<std::string> outcomes;
    for (const core::Fault fault : {core::Fault::None,
                                    core::Fault::InvalidUrl,
                                    core::Fault::Refused,
                                    core::Fault::Unreachable,
                                    core::Fault::Body,
                                    core::Fault::Deadline}) {
        outcomes.emplace(core::to_string(fault));
    }
    EXPECT_EQ(words("outcome"), outcomes) << "cancelled and stalled attempts are no results";
    std::set<std::string> results;
    for (const core::AttemptResult result : {core::AttemptResult::Accepted,
                                             core::AttemptResult::Failed,
                                             core::AttemptResult::Passing,
                                             core::AttemptResult::Failing,
                                             core::AttemptResult::Unknown}) {
        results.emplace(core::to_string(result));
    }
    EXPECT_EQ(words("result"), results);
    std::set<std::string> changes;
    for (const core::AttemptChange change : {core::AttemptChange::GateClosed,
                                             core::AttemptChange::GateLifted,
                                             core::AttemptChange::CeilingLost,
                                             core::AttemptChange::CeilingKnown,
                                             core::AttemptChange::CeilingMoved}) {
        changes.emplace(core::to_string(change));
    }
    EXPECT_EQ(words("change"), changes);
    EXPECT_EQ(schema("HomeHistory").at("properties").at("attempts").at("maxItems"),
              2 * (core::AttemptHistory::capacity + core::AttemptHistory::most_changes));
    EXPECT_EQ(schema("Attempt").at("properties").at("reason").at("maxLength"),
              core::AttemptHistory::longest_reason);
}

TEST_F(ApiDescription, EveryDescribedParameterMakesADifference) {
    put(declaration("one", {"a", "b"}));
    settle();
    for (const auto& [target, status] :
         std::map<std::string, unsigned>{{"/v1/services?limit=0", 400},
                                         {"/v1/services?limit=1000000001", 400},
                                         {"/v1/services?limit=1000000000", 200},
                                         {"/v1/services?continue=x", 400},
                                         {"/v1/watch?since=x", 400},
                                         {"/v1/watch?holder=", 400},
                                         {"/v1/watch?timeoutSeconds=x", 400},
                                         {"/v1/services/prod/one/history?cluster=other", 404}}) {
        EXPECT_EQ(call("GET", target).status, status) << target;
    }
    EXPECT_EQ(read_all(call("GET", "/v1/services?namespace=other")).find("one"), std::string::npos);
    std::set<std::string> names;
    for (const Route& route : api_routes()) {
        for (const Parameter& one : route.query) {
            names.emplace(one.name);
        }
    }
    const std::set<std::string> tried{
        "limit", "continue", "since", "holder", "timeoutSeconds", "cluster", "namespace"};
    EXPECT_EQ(names, tried) << "one that is new needs a try above";
}

// By what openapi.json says and nothing else: a parameter is either described or refused.
TEST_F(ApiDescription, AParameterThatIsNotDescribedIsRefusedWithThoseThatAre) {
    const json::value described = document();
    for (const auto& [pattern, methods] : described.at("paths").as_object()) {
        for (const auto& [method, operation] : methods.as_object()) {
            const std::string target = place_of(std::string_view(pattern)) + "?lst=7";
            std::string verb(method);
            std::transform(verb.begin(), verb.end(), verb.begin(), [](unsigned char c) {
                return static_cast<char>(std::toupper(c));
            });
            const ApiAnswer answer = call(verb, target);
            if (!operation.at("responses").as_object().contains("400")) {
                EXPECT_NE(answer.status, 400U) << verb << " " << target;
                continue;
            }
            ASSERT_EQ(answer.status, 400U) << verb << " " << target;
            const json::value error = answer.document().at("error");
            EXPECT_EQ(error.at("field"), "lst");
            const std::string message(error.at("message").as_string());
            EXPECT_NE(message.find("\"lst\" (with the value \"7\")"), message.npos) << message;
            std::size_t named = 0;
            for (const json::value& parameter : operation.at("parameters").as_array()) {
                if (parameter.at("in") == "query") {
                    const std::string name(parameter.at("name").as_string());
                    EXPECT_NE(message.find(name), message.npos) << name << ": " << message;
                    ++named;
                }
            }
            EXPECT_EQ(message.find("takes none") != message.npos, named == 0) << message;
        }
    }
}

TEST_F(ApiDescription, AParameterThatIsDescribedIsTaken) {
    put(declaration("one", {"a"}));
    settle();
    for (const Route& route : api_routes()) {
        for (const Parameter& one : route.query) {
            const std::string target =
                fmt::format("{}?{}=a", place_of(route.pattern), std::string(one.name));
            EXPECT_EQ(call("GET", target).text.find("is not known"), std::string::npos) << target;
        }
    }
}

TEST_F(ApiDescription, ProbersMayAskForMoreThanThereIs) {
    for (const char* target : {"/livez?verbose", "/readyz?exclude=x", "/metrics?name[]=up"}) {
        EXPECT_EQ(call("GET", target).status, 200U) << target;
    }
}

TEST_F(ApiDescription, ARefusedDeclarationIsNotApplied) {
    const std::string one = json::serialize(declaration("one", {"a"}));
    EXPECT_EQ(call("PUT", "/v1/services/prod/one?dryRun=All", one).status, 400U);
    EXPECT_FALSE(declared("one"));
}

TEST_F(ApiDescription, EveryReferenceLeadsToASchemaAndEverySchemaIsUsed) {
    const std::string text = api_description();
    std::set<std::string> used;
    const std::string mark = "#/components/schemas/";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
        const auto begin = at + mark.size();
        used.insert(text.substr(begin, text.find('"', begin) - begin));
    }
    std::set<std::string> present;
    const json::value schemas_now = schemas();
    for (const auto& [name, value] : schemas_now.as_object()) {
        present.emplace(name);
    }
    EXPECT_EQ(used, present);
}

TEST_F(ApiDescription, EveryRouteHasItsOperationAndAHeadWhereItIsRead) {
    const json::value described = document();
    std::set<std::string> ids;
    std::size_t operations = 0;
    for (const auto& [path, methods] : described.at("paths").as_object()) {
        for (const auto& [method, operation] : methods.as_object()) {
            ++operations;
            ids.emplace(operation.at("operationId").as_string());
        }
    }
    EXPECT_EQ(ids.size(), operations) << "ids are unique";
    std::size_t expected = 0;
    for (const Route& route : api_routes()) {
        expected += route.method == "GET" ? 2U : 1U;
        const json::value& methods =
            described.at("paths").at(json::string_view(route.pattern.data(), route.pattern.size()));
        EXPECT_TRUE(methods.is_object());
    }
    EXPECT_EQ(operations, expected);
}

TEST_F(ApiDescription, AHealthListenerServesThreeOfThemOnly) {
    for (const Route& route : api_routes()) {
        net::ServerRequest request;
        request.method = route.method;
        request.path = route.pattern;
        request.segments = split(request.path.substr(1), '/');
        request.body = std::make_shared<PieceBody>(std::deque<std::string>(), Ending::Complete);
        const bool health =
            route.pattern == "/metrics" || route.pattern == "/livez" || route.pattern == "/readyz";
        const auto response = test::run(io, answer_health(context.get(), std::move(request)));
        EXPECT_EQ(response.status, health ? 200U : 404U) << route.pattern;
    }
}

}  // namespace
}  // namespace ome::observer
