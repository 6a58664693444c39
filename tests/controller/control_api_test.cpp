// Holds openapi.json and the handlers together: every answer that this exercise meets is described,
// and every described one is met; and what is asked in a wrong way is told.
#include "control_api.hpp"

#include "control_routes.hpp"
#include "control_status.hpp"
#include "dry_store.hpp"
#include "reconciler_fixture.hpp"
#include <ome/net/clock.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/run.hpp>

#include <algorithm>
#include <set>

namespace ome::controller {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

class ToldStore final : public Store {
public:
    explicit ToldStore(Listener& listener) : listener_(listener) {}
    void start(Listener listener) override { listener_ = std::move(listener); }
    void submit(std::vector<StoreRequest>) override {}
    void stop() override { listener_ = {}; }

private:
    Listener& listener_;
};

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

class ControlApi : public testing::Test {
protected:
    ControlApi() {
        engine.start();
        store.leading(true);
    }
    ~ControlApi() override { test::run(io, engine.stop()); }

    net::ServerResponse call(const std::string& path,
                             std::map<std::string, std::string> query = {},
                             const std::string& accept = {},
                             const std::string& method = "GET") {
        net::ServerRequest request;
        request.method = method;
        request.path = path;
        for (std::size_t at = 0; at < path.size();) {
            const std::size_t end = std::min(path.find('/', at + 1), path.size());
            request.segments.push_back(path.substr(at + 1, end - at - 1));
            at = end;
        }
        request.query = std::move(query);
        request.headers["accept"] = accept;
        return test::run(io, answer(&context, std::move(request)));
    }

    static std::string text_of(const net::ServerResponse& response) {
        return std::get<std::string>(response.body);
    }

    /// Notes what was met and compares it with what is described.
    void meet(const std::string& path,
              const std::map<std::string, std::string>& query = {},
              const std::string& accept = {}) {
        const net::ServerResponse response = call(path, query, accept);
        net::ServerRequest request;
        const ControlRoute* route = nullptr;
        for (const ControlRoute& one : control_routes()) {
            const bool of_map = one.id == "explainMap" && path.starts_with("/v1/maps/");
            route = one.pattern == path || of_map ? &one : route;
        }
        ASSERT_NE(route, nullptr) << path;
        const std::string type = response.content_type.substr(0, response.content_type.find(';'));
        met.insert(fmt::format("{} {} {}", route->id, response.status, type));
        const auto reply = std::find_if(
            route->replies.begin(), route->replies.end(), [&](const wire::ApiReply& one) {
                return one.status == response.status && one.content_type == type;
            });
        ASSERT_NE(reply, route->replies.end()) << path << " answers " << response.status;
        if (!reply->schema.empty()) {
            compare(json::parse(text_of(response)), schema(reply->schema), path);
        }
    }

    static json::value schema(std::string_view name) {
        return json::parse(view(control_schemas())).at(view(name));
    }

    /// Every member is described, every required one is there, and words are among those described.
    static void compare(const json::value& value, json::value rules, const std::string& at) {
        if (rules.as_object().contains("$ref")) {
            const std::string ref(rules.at("$ref").as_string());
            rules = schema(ref.substr(ref.rfind('/') + 1));
        }
        if (const json::value* words = rules.as_object().if_contains("enum")) {
            const json::array& known = words->as_array();
            EXPECT_NE(std::find(known.begin(), known.end(), value), known.end())
                << at << ": " << value << " is not described";
        }
        if (value.is_array()) {
            for (const json::value& item : value.as_array()) {
                compare(item, rules.at("items"), at + "[]");
            }
        }
        if (!value.is_object() || rules.as_object().contains("additionalProperties")) {
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
        for (const json::value& name : rules.at("required").as_array()) {
            EXPECT_TRUE(value.as_object().contains(name.as_string())) << at << " lacks " << name;
        }
    }

    void tell(StoreNews one) { store.news({std::move(one)}); }

    void tell_service(const routing::InferenceService& service) {
        tell(news::ServiceIs{std::make_shared<const routing::InferenceService>(service)});
    }

    net::asio::io_context io;
    Store::Listener store;
    Engine engine{io,
                  ReconcilerSettings{.installation = test::installation()},
                  routing::PublicationSettings{},
                  LinkSettings{.url = net::parse_local_url("http://127.0.0.1:1").value(),
                               .trust = nullptr,
                               .holder = "test"},
                  std::make_unique<ToldStore>(store)};
    bool stopping = false;
    ConfigurationView configuration{.source = "/etc/ome/multicluster.json", .problem = ""};
    ControlContext context{.engine = engine,
                           .configuration = configuration,
                           .store = "dir:/store",
                           .observer = "http://127.0.0.1:1",
                           .started = net::read_clock(),
                           .stopping = [this] { return stopping; }};
    std::set<std::string> met;
};

TEST_F(ControlApi, EveryAnswerIsDescribedAndEveryDescribedAnswerIsMet) {
    meet("/readyz");
    meet("/v1/maps/demo/chat/explain");
    tell_service(test::routed_service());
    routing::InferenceService bad = test::routed_service("bad");
    bad.drains = "[]";
    tell_service(bad);
    tell(news::Unusable{"inferenceservices/demo/chat.yaml:7",
                        {},
                        {"spec: 7 must be an object", "spec"},
                        {{"demo", "chat"}}});
    tell(news::Listed{});
    io.poll();
    meet("/readyz");
    for (const std::string path : {"/status", "/v1/status", "/v1/maps/demo/chat/explain"}) {
        meet(path, {{"output", "json"}});
        meet(path, {{"output", "text"}});
        meet(path, {{"output", "yaml"}});
        meet(path);
    }
    meet("/v1/maps/demo/bad/explain", {}, "application/json");
    meet("/v1/maps/demo/other/explain");
    meet("/v1/diff");
    meet("/v1/diff", {{"output", "json"}});
    const DryRun dry_run;
    context.dry_run = &dry_run;
    meet("/v1/diff");
    meet("/v1/openapi.json");
    meet("/v1/openapi.json", {{"output", "json"}});
    meet("/metrics");
    meet("/livez");
    meet("/");
    meet("/", {}, "text/html");
    meet("/v1/maps");
    meet("/v1/maps", {{"output", "json"}});
    std::set<std::string> described;
    for (const ControlRoute& route : control_routes()) {
        if (route.answer == nullptr) {
            continue;  // observer_relay_test.cpp
        }
        for (const wire::ApiReply& reply : route.replies) {
            described.insert(fmt::format("{} {} {}", route.id, reply.status, reply.content_type));
        }
    }
    EXPECT_EQ(met, described);
}

TEST_F(ControlApi, SaysThatRoutingIsOffAndWhy) {
    tell(news::Listed{});
    EXPECT_THAT(text_of(call("/status")), testing::Not(HasSubstr("OFF")));
    configuration.routing_off =
        "routing.enabled is not set; routing.enabeld is not known and is ignored; did you mean "
        "enabled?";
    configuration.warnings = {"/etc/ome/multicluster.json: routing.enabeld is not known"};
    meet("/v1/status");
    EXPECT_THAT(text_of(call("/status")),
                HasSubstr("routing   OFF, no map is kept: routing.enabled is not set; "
                          "routing.enabeld is not known and is ignored; did you mean enabled?\n"));
    const json::value document = json::parse(text_of(call("/v1/status"))).at("configuration");
    EXPECT_EQ(document.at("routingOff").as_string(), view(configuration.routing_off));
    EXPECT_EQ(document.at("warnings").as_array().size(), 1U);
}

TEST_F(ControlApi, SaysWhenTheObserverWasHeardLast) {
    tell(news::Listed{});
    EXPECT_FALSE(
        json::parse(text_of(call("/v1/status"))).at("observer").as_object().contains("heard"));
}

TEST_F(ControlApi, ShowsWhoHoldsTheLeaseAndWhichRightsAreMissing) {
    tell(news::Listed{});
    StoreState state;
    state.lease = LeaseSeen{.name = "ns/l",
                            .holder = "other",
                            .since = "2026-09-28T10:00:00.000000Z",
                            .renewed = "2026-09-28T10:00:09.000000Z",
                            .transitions = 3};
    state.missing_rights = {{.verb = "patch",
                             .resource = "trafficmaps.ome.io",
                             .ns = "demo",
                             .hinders = "weights stay",
                             .problem = "HTTP 403",
                             .since = {1'790'000'000, 123'456'789}}};
    configuration.problem = "x: wrong";
    store.state(state);
    meet("/v1/status");
    EXPECT_THAT(text_of(call("/status")),
                testing::AllOf(HasSubstr("lease     ns/l: held by other since 2026-09-28T10:00:00"),
                               HasSubstr("config    x: wrong; an earlier one is in force\n"),
                               HasSubstr("missing right: patch trafficmaps.ome.io in namespace "
                                         "demo since 2026-09-21T14:13:20Z: weights stay\n")));
    EXPECT_EQ(json::parse(text_of(call("/v1/status"))).at("missingRights").at(0).at("since"),
              "2026-09-21T14:13:20Z");
    EXPECT_THAT(
        text_of(call("/metrics")),
        testing::AllOf(
            HasSubstr(R"(ome_trafficmap_lease_holder{lease="ns/l",holder="other"} 1)"),
            HasSubstr("ome_trafficmap_lease_renewed_timestamp_seconds 1790589609"),
            HasSubstr("ome_trafficmap_configuration_unusable 1"),
            HasSubstr(
                R"(ome_trafficmap_missing_right{verb="patch",resource="trafficmaps.ome.io",namespace="demo"} 1)")));
    EXPECT_EQ(call("/readyz").status, 200U);
    state.missing_rights.front().blocks = true;
    store.state(state);
    EXPECT_EQ(call("/readyz").status, 503U);
    EXPECT_EQ(text_of(call("/readyz")),
              "missing right: patch trafficmaps.ome.io in namespace demo: weights stay\n");
}

TEST_F(ControlApi, SaysWhyTheStoreCannotBeRead) {
    EXPECT_EQ(text_of(call("/readyz")), "reading the store\n");
    const std::string problem = "GET /apis/x: HTTP 400: unable to parse requirement";
    StoreState state;
    state.troubles = {{"lease", "GET /l: HTTP 500", {1'790'000'000, 0}},
                      {"watch", problem, {1'790'000'001, 0}}};
    store.state(state);
    EXPECT_EQ(call("/readyz").status, 503U);
    EXPECT_EQ(text_of(call("/readyz")), "reading the store: " + problem + "\n");
    EXPECT_THAT(text_of(call("/status")),
                HasSubstr("\ntrouble   lease, since 2026-09-21T14:13:20Z: GET /l: HTTP 500\n"
                          "trouble   watch, since 2026-09-21T14:13:21Z: " +
                          problem + "\n"));
    meet("/v1/status");
    const json::value document = json::parse(text_of(call("/v1/status")));
    EXPECT_EQ(document.at("trouble"), "lease, since 2026-09-21T14:13:20Z: GET /l: HTTP 500");
    EXPECT_EQ(
        document.at("troubles").at(1),
        (json::object{{"at", "watch"}, {"since", "2026-09-21T14:13:21Z"}, {"problem", problem}}));
    store.state({});
    EXPECT_THAT(text_of(call("/status")), testing::Not(HasSubstr("trouble ")));
    EXPECT_FALSE(json::parse(text_of(call("/v1/status"))).as_object().contains("trouble"));
}

TEST_F(ControlApi, ATroubleOfTheConfigurationsOwnServerIsShownToo) {
    tell(news::Listed{});
    configuration.troubles = {{"configuration", "GET /c: HTTP 401", {1'790'000'000, 0}}};
    meet("/v1/status");
    EXPECT_THAT(text_of(call("/status")),
                HasSubstr("\ntrouble   configuration, since 2026-09-21T14:13:20Z: GET /c"));
}

// Of a lease that was seen a while ago nobody knows whose it is.
TEST_F(ControlApi, ALeaseThatCannotBeReadIsNoComfort) {
    tell(news::Listed{});
    const core::WallTime now = net::read_clock().wall;
    StoreState state;
    state.lease = LeaseSeen{.name = "ns/l",
                            .holder = "us",
                            .ours = true,
                            .since = "a",
                            .renewed = "b",
                            .valid_until = now + std::chrono::hours(1)};
    store.state(state);
    EXPECT_THAT(text_of(call("/status")), HasSubstr("(this process) since a, renewed b\n"));
    state.troubles = {{at_lease, "PUT /l: HTTP 401 Unauthorized", {1'790'000'000, 0}}};
    store.state(state);
    meet("/v1/status");
    const std::string doubt =
        "held by us (this process) since a, renewed b; neither read nor renewed since "
        "2026-09-21T14:13:20Z; ";
    EXPECT_THAT(text_of(call("/status")), HasSubstr(doubt + "valid until 2"));
    EXPECT_THAT(text_of(call("/status")), HasSubstr(", leading\n"));
    EXPECT_EQ(text_of(call("/readyz")), "ok\n") << "it leads until then";
    store.leading(false);
    state.lease->valid_until = core::WallTime{1'790'000'009, 0};
    store.state(state);
    EXPECT_THAT(text_of(call("/status")), HasSubstr(doubt + "ran out at 2026-09-21T14:13:29Z\n"));
    EXPECT_THAT(text_of(call("/status")), HasSubstr(", finding out who leads\n"));
    EXPECT_EQ(json::parse(text_of(call("/v1/status"))).at("lease").at("validUntil"),
              "2026-09-21T14:13:29Z");
    EXPECT_EQ(call("/readyz").status, 503U);
    EXPECT_EQ(text_of(call("/readyz")), "finding out who leads: PUT /l: HTTP 401 Unauthorized\n");
    state.troubles.clear();
    state.lease->holder = "other";
    state.lease->ours = false;
    store.state(state);
    EXPECT_EQ(text_of(call("/readyz")), "ok (standby)\n");
    EXPECT_THAT(text_of(call("/status")), HasSubstr(", standby\n"));
}

// Who knows of no service does not say that one is not there.
TEST_F(ControlApi, WhoDoesNotLeadSaysWhoDoes) {
    const auto message = [this] {
        const net::ServerResponse response = call("/v1/maps/demo/chat/explain");
        EXPECT_EQ(response.status, 503U);
        return std::string(json::parse(text_of(response)).at("error").at("message").as_string());
    };
    EXPECT_EQ(message(), "the store is being read");
    store.leading(false);
    EXPECT_EQ(message(), "this is a standby: another controller leads; ask that one");
    StoreState state;
    state.lease = LeaseSeen{.name = "ns/l", .holder = "other", .since = "", .renewed = ""};
    store.state(state);
    EXPECT_EQ(message(), "this is a standby: another controller leads (other); ask that one");
    state.troubles = {{at_lease, "GET /l: HTTP 401", {}}};
    store.state(state);
    EXPECT_EQ(message(), "who leads is not known: GET /l: HTTP 401");
}

TEST_F(ControlApi, ASlipInTheConfigurationIsShown) {
    tell(news::Listed{});
    configuration.warnings = {"/etc/x.json: routing.probee is not known"};
    EXPECT_THAT(text_of(call("/status")),
                HasSubstr("\nwarning   /etc/x.json: routing.probee is not known\n"));
}

// Beside another controller a dry run must not look like a second one that writes.
TEST_F(ControlApi, ADryRunNeitherLeadsNorWrites) {
    Store::Listener dry;
    Engine compares{io,
                    ReconcilerSettings{.installation = test::installation(), .dry_run = true},
                    routing::PublicationSettings{},
                    LinkSettings{.url = net::parse_local_url("http://127.0.0.1:1").value(),
                                 .trust = nullptr,
                                 .holder = "test"},
                    std::make_unique<DryStore>(io, std::make_unique<ToldStore>(dry))};
    ControlContext of_engine{.engine = compares,
                             .configuration = configuration,
                             .store = "kube",
                             .observer = "http://127.0.0.1:1",
                             .started = net::read_clock(),
                             .stopping = [] { return false; }};
    compares.start();
    dry.leading(true);
    const auto ask = [&](const std::string& path) {
        net::ServerRequest request;
        request.method = "GET";
        request.path = path;
        request.segments = {path.substr(1)};
        return text_of(test::run(io, answer(&of_engine, std::move(request))));
    };
    EXPECT_THAT(ask("/status"), HasSubstr(", dry run, reading the store\n"));
    dry.news({StoreNews(news::ServiceIs{
                  std::make_shared<const routing::InferenceService>(test::routed_service())}),
              StoreNews(news::Listed{})});
    for (int turn = 0; turn < 100 && compares.reconciler().counts(net::read_clock()).created == 0;
         ++turn) {
        io.run_one();
    }
    EXPECT_THAT(
        ask("/metrics"),
        testing::AllOf(HasSubstr("\nome_trafficmap_leading 0\n"),
                       HasSubstr("ome_trafficmap_writes_total{kind=\"created\"} 0\n"),
                       HasSubstr("ome_trafficmap_dry_run_writes_total{kind=\"created\"} 1\n")));
    EXPECT_THAT(ask("/status"),
                testing::AllOf(HasSubstr(", dry run, nothing is written\n"),
                               HasSubstr("nothing written; would have been: 1 created, 0 updated"),
                               testing::Not(HasSubstr("leading"))));
    EXPECT_EQ(ask("/readyz"), "ok (dry run)\n");
    const StatusFrame frame{.version = "1", .store = "kube", .observer = "", .uptime = {}};
    const json::object document =
        status_document(compares, configuration, frame, net::read_clock());
    compare(document, schema("Status"), "status");
    EXPECT_EQ(document.at("leading"), false);
    EXPECT_EQ(document.at("dryRun"), true);
    EXPECT_EQ(document.at("writes").to_number<int>(), 0);
    EXPECT_EQ(document.at("wouldWrite").to_number<int>(), 1);
    test::run(io, compares.stop());
}

TEST_F(ControlApi, WaitsForAConfigurationAndSaysForWhich) {
    const auto ask = [this](const std::string& path) {
        net::ServerRequest request;
        request.method = "GET";
        request.path = path;
        return test::run(io, answer_waiting(configuration, std::move(request)));
    };
    configuration.problem = "ConfigMap a/b: is not there";
    EXPECT_EQ(ask("/livez").status, 200U);
    EXPECT_EQ(ask("/readyz").status, 503U);
    EXPECT_EQ(text_of(ask("/readyz")),
              "waiting for a configuration: ConfigMap a/b: is not there\n");
    EXPECT_EQ(ask("/v1/status").status, 503U);
    EXPECT_THAT(text_of(ask("/v1/status")), HasSubstr("ConfigMap a/b"));
    EXPECT_THAT(text_of(ask("/metrics")), HasSubstr("ome_trafficmap_configuration_unusable 1"));
}

TEST_F(ControlApi, AnUnknownParameterIsToldWithItsValueAndTheKnownOnes) {
    const net::ServerResponse response = call("/v1/maps/demo/chat/explain", {{"fromat", "json"}});
    EXPECT_EQ(response.status, 400U);
    const json::value error = json::parse(text_of(response)).at("error");
    EXPECT_EQ(error.at("code"), "BadRequest");
    EXPECT_EQ(error.at("field"), "fromat");
    const std::string message(error.at("message").as_string());
    EXPECT_THAT(message, HasSubstr("\"fromat\""));
    EXPECT_THAT(message, HasSubstr("\"json\""));
    EXPECT_THAT(message, HasSubstr("output"));
    EXPECT_THAT(text_of(call("/status", {{"output", "table"}})),
                HasSubstr("output \\\"table\\\" must be text or json"));
    EXPECT_EQ(call("/livez", {{"verbose", ""}}).status, 200U) << "the kubelet's may say anything";
    EXPECT_EQ(call("/metrics", {{"name[]", "up"}}).status, 200U);
}

TEST_F(ControlApi, TheParameterCountsMoreThanTheHeader) {
    EXPECT_TRUE(text_of(call("/status", {{"output", "text"}}, "application/json"))
                    .starts_with("ome-trafficmap "));
    EXPECT_TRUE(text_of(call("/status", {}, "application/json")).starts_with("{"));
    EXPECT_TRUE(text_of(call("/v1/status")).starts_with("{"));
}

TEST_F(ControlApi, OnlyReads) {
    const net::ServerResponse refused = call("/v1/status", {}, {}, "POST");
    EXPECT_EQ(refused.status, 405U);
    EXPECT_EQ(refused.headers.front(), std::pair(std::string("Allow"), std::string("GET, HEAD")));
    EXPECT_EQ(call("/v1/status", {}, {}, "HEAD").status, 200U);
    for (const char* path : {"/v1", "/v1/maps/demo/chat", "/v1/status/", "/observer/v1/config"}) {
        EXPECT_EQ(call(path).status, 404U) << path;
    }
}

TEST_F(ControlApi, ABrowserGetsThePageAndOthersTheTable) {
    const net::ServerResponse page = call("/", {}, "text/html,*/*;q=0.8");
    EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
    EXPECT_THAT(text_of(page), HasSubstr(R"(name="ome-mode" content="controller")"));
    EXPECT_THAT(page.headers, testing::Contains(testing::Key("Content-Security-Policy")));
    for (const char* accept : {"", "*/*", "application/json"}) {
        EXPECT_THAT(text_of(call("/", {}, accept)), testing::StartsWith("ome-trafficmap "))
            << accept;
    }
    EXPECT_EQ(call("/", {{"utm", "x"}}, "text/html").status, 200U);
    EXPECT_EQ(call("/", {}, "text/html", "POST").status, 405U);
}

TEST_F(ControlApi, ThePageIsThereBeforeTheConfigurationIs) {
    configuration.problem = "ConfigMap a/b: is not there";
    net::ServerRequest request;
    request.method = "GET";
    request.path = "/";
    request.headers["accept"] = "text/html";
    EXPECT_EQ(test::run(io, answer_waiting(configuration, request)).status, 200U);
    request.headers["accept"] = "*/*";
    const net::ServerResponse text = test::run(io, answer_waiting(configuration, request));
    EXPECT_EQ(text.status, 503U);
    EXPECT_THAT(text_of(text), HasSubstr("ConfigMap a/b"));
}

TEST_F(ControlApi, TellsTheWeightsOfAllMaps) {
    routing::TrafficMap map;
    map.meta.key = {"demo", "chat"};
    map.spec.entries = {{.cluster = "a", .endpoint = "http://u:p@a.example", .weight = 3},
                        {.cluster = "b", .endpoint = "http://b.example", .drain_refs = {"x"}}};
    map.spec.entries[1].probe = routing::EntryProbe{.policy_digest = "d", .gated = true};
    tell(news::MapIs{std::make_shared<const routing::TrafficMap>(map)});
    meet("/v1/maps");
    const json::value maps = json::parse(text_of(call("/v1/maps"))).at("maps");
    ASSERT_EQ(maps.as_array().size(), 1U);
    EXPECT_EQ(maps.at(0).at("entries"), json::parse(R"([
        {"cluster":"a","endpoint":"http://***@a.example","weight":3,"drained":false,"gated":false},
        {"cluster":"b","endpoint":"http://b.example","weight":0,"drained":true,"gated":true}])"));
}

TEST_F(ControlApi, PassesNothingOnWhereItMustNot) {
    EXPECT_EQ(call("/observer/v1/status").status, 403U) << "there is no relay";
    EXPECT_EQ(call("/observer/v1/watch", {{"holder", "me"}}).status, 400U)
        << "a page keeps no declaration alive";
    EXPECT_EQ(call("/observer/v1/services/a/b", {}, {}, "DELETE").status, 404U);
    EXPECT_EQ(call("/observer/v1/services", {}, {}, "PUT").status, 405U);
    for (const ControlRoute& route : control_routes()) {
        const bool relayed = route.pattern.starts_with("/observer/");
        EXPECT_EQ(route.answer == nullptr, relayed) << route.pattern;
    }
}

TEST_F(ControlApi, SaysWhyTheLastGoodStateIsInForce) {
    tell_service(test::routed_service());
    tell(news::Unusable{"inferenceservices/demo/chat.yaml:7",
                        {},
                        {"spec: 7 must be an object", "spec"},
                        {{"demo", "chat"}}});
    tell(news::Listed{});
    const json::value document =
        json::parse(text_of(call("/v1/maps/demo/chat/explain", {{"output", "json"}})));
    EXPECT_EQ(document.at("lastGood").at("at"), "inferenceservices/demo/chat.yaml:7");
    EXPECT_EQ(document.at("lastGood").at("field"), "spec");
    EXPECT_EQ(document.at("lastGood").at("problem"), "spec: 7 must be an object");
    EXPECT_THAT(text_of(call("/v1/maps/demo/chat/explain")),
                testing::MatchesRegex(
                    "the last good state is in force, since 20[0-9TZ:.-]+, because "
                    "inferenceservices/demo/chat.yaml:7 cannot be used: spec: 7 must be an "
                    "object\nRoutable: (.|\n)*"));
}

TEST_F(ControlApi, EveryReferenceLeadsToASchemaAndEverySchemaIsUsed) {
    const std::string text = control_description();
    std::set<std::string> used;
    const std::string mark = "#/components/schemas/";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
        const auto begin = at + mark.size();
        used.insert(text.substr(begin, text.find('"', begin) - begin));
    }
    std::set<std::string> present;
    const json::value schemas = json::parse(view(control_schemas()));
    for (const auto& [name, value] : schemas.as_object()) {
        present.emplace(name);
    }
    EXPECT_EQ(used, present);
    const json::value document = json::parse(text);
    EXPECT_EQ(document.at("paths").as_object().size(), control_routes().size());
    const json::value& contents =
        document.at("paths").at("/status").at("get").at("responses").at("200").at("content");
    EXPECT_EQ(contents.as_object().size(), 2U) << "one for each type";
}

}  // namespace
}  // namespace ome::controller
