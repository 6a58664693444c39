// `traffic why` on a folder: a test for each row of the guide "Traffic map", "Why a cluster's
// weight is zero", and for what a new user asks when a cluster gets no traffic. The maps are those
// that the controller would have written.
#include "integration/scratch.hpp"
#include "kubectl/fake_cluster.hpp"
#include "why_gateway.hpp"
#include <ome/core/policy_resolution.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/routing/ownership.hpp>
#include <ome/routing/stored_evidence.hpp>
#include <ome/wire/folder_identity.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace ome::kubectl::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

struct HomeOf {
    std::string cluster;
    int admitted = 2;
    int ready = 2;
    std::string phase = "Admitted";
    std::string endpoint = "https://chat.example.com/v1";
    std::string allocation = {};
};

class Why : public testing::Test {
protected:
    void SetUp() override {
        for (const char* tree : {"inferenceservices", "trafficmaps", "overrides", "routes"}) {
            std::filesystem::create_directories(folder_.path(std::string(tree) + "/demo"));
        }
    }

    void place(const std::vector<HomeOf>& homes, const std::string& extra_meta = "") {
        std::string text = fmt::format(
            "apiVersion: ome.io/v1beta1\nkind: InferenceService\n"
            "metadata:\n  name: chat\n  generation: 7\n{}"
            "spec:\n  placement: {{policy: ClusterAffinity, mode: All}}\n"
            "status:\n  placement:\n    phase: Placed\n{}    candidates:\n",
            extra_meta,
            plan_);
        for (const HomeOf& home : homes) {
            text += fmt::format(
                "    - {{cluster: {}, phase: {}, endpoint: \"{}\", admittedReplicas: {}, "
                "readyReplicas: {}{}}}\n",
                home.cluster,
                home.phase,
                home.endpoint,
                home.admitted,
                home.ready,
                home.allocation.empty() ? "" : ", allocation: {" + home.allocation + "}");
        }
        folder_.write("inferenceservices/demo/chat.yaml", text);
        auto documents = wire::read_inference_services(text);
        service_ = *documents->services.at(0).service;
        service_.key = {"demo", "chat"};
        service_.uid = wire::derived_uid(service_.key);
    }

    void publish() {
        map_.status.conditions.push_back({.type = "Published",
                                          .status = "True",
                                          .reason = "Published",
                                          .message = "m",
                                          .last_transition_time = world_.now,
                                          .observed_generation = 4});
        map_.status.observed_traffic_map_generation = 4;
        map_.status.gateway_ref =
            routing::GatewayRef{"gateway.networking.k8s.io", "HTTPRoute", "demo", "chat-global"};
        store(map_);
    }

    /// Writes the map that a pass over the service makes.
    void route() {
        routing::RoutedService routed = **routing::admit(service_, routing::assumed_installation());
        routed.policies = policies_;
        const routing::Plan plan = routing::build_plan(service_, routed, seen_);
        routing::TrafficMap map;
        map.meta.key = service_.key;
        map.meta.uid = "map-uid";
        map.meta.generation = 4;
        map.meta.creation_timestamp = *core::parse_timestamp("2026-10-01T10:00:00Z");
        map.meta.owner_references = {routing::owner_reference(service_)};
        map.spec = plan.spec;
        map.status.conditions = routing::routing_conditions(
            map.spec, map.meta.generation, plan.verdict, routed, {}, world_.now);
        store(map);
    }

    void store(const routing::TrafficMap& map) {
        map_ = map;
        std::string text;
        wire::append_traffic_map_yaml(text, map);
        folder_.write("trafficmaps/demo/chat.yaml", text);
    }

    void probe(const std::string& cluster, core::ProbeResult result, bool gated) {
        policies_.probe = core::unchecked_policy(core::ProbeSettings{});
        routing::EntryProbe state{
            .policy_digest = "sha256:" + std::string(64, 'a'), .result = result, .gated = gated};
        state.last_probe_time = *core::parse_timestamp("2026-10-01T11:59:48Z");
        if (gated) {
            state.consecutive_failures = 3;
            state.message = "HTTP 503";
        }
        seen_[cluster].probe = {state, true};
    }

    void report(const std::string& cluster, std::optional<int> ceiling) {
        policies_.capacity = core::unchecked_policy(core::CapacitySettings{});
        seen_[cluster].capacity = {ceiling, ceiling ? "" : "no capacity report yet"};
    }

    std::string why(const std::string& flags = "") {
        world_.terminal.output.clear();
        EXPECT_EQ(world_.run(fmt::format("kubectl ome traffic why chat -n demo --store dir:{} {}",
                                         folder_.path("."),
                                         flags)),
                  0)
            << world_.terminal.errors;
        return world_.terminal.output;
    }

    // A map with `Published` False for this reason.
    void route_and_publish() {
        route();
        map_.status.conditions.push_back({.type = "Published",
                                          .status = "False",
                                          .reason = route_.reason,
                                          .message = "m",
                                          .last_transition_time = world_.now,
                                          .observed_generation = 4});
        map_.status.observed_traffic_map_generation = route_.generation;
        if (route_.there) {
            map_.status.gateway_ref = routing::GatewayRef{
                "gateway.networking.k8s.io", "HTTPRoute", "demo", "chat-global"};
        }
        store(map_);
    }

    struct Route {
        std::string reason;
        std::int64_t generation = 0;
        bool there = false;
    };
    Route route_;
    World world_;
    ome::test::Scratch folder_;
    routing::InferenceService service_;
    routing::TrafficMap map_;
    core::Policies policies_;
    routing::Observations seen_;
    std::string plan_;  ///< a line of status.placement
};

// The rows of the guide.

TEST_F(Why, ADrainHoldsTheCluster) {
    place({{"worker-a"}, {"worker-b"}},
          "  annotations:\n"
          "    ome.io/traffic-drain: '{\"maintenance-a\":{\"cluster\":\"worker-a\",\"reason\":"
          "\"planned maintenance\"}}'\n");
    route();
    const std::string text = why("--cluster worker-a");
    EXPECT_THAT(text, HasSubstr("worker-a has weight 0: Drained"));
    EXPECT_THAT(text,
                HasSubstr("a drain holds it at 0, whatever its capacity: maintenance-a (planned "
                          "maintenance)"));
    EXPECT_THAT(
        text, HasSubstr("changes by kubectl ome traffic undrain chat -n demo --id maintenance-a"));
    EXPECT_THAT(text, HasSubstr(" --id maintenance-a --store=dir:" + folder_.path(".") + "\n"))
        << "copied, it must find the same service";
    EXPECT_THAT(text, Not(HasSubstr("worker-b")));
}

TEST_F(Why, NoReplicaIsReady) {
    place({{"worker-a", 2, 0}, {"worker-b"}});
    route();
    const std::string text = why();
    EXPECT_THAT(text, HasSubstr("worker-a has weight 0: NotReady"));
    EXPECT_THAT(text, HasSubstr("no replica is ready there"));
    EXPECT_THAT(text, HasSubstr("allocated 2, ready 0, as placement reports"));
    EXPECT_THAT(text, HasSubstr("admitted 2, ready 0 -> 0"));
    EXPECT_THAT(text, Not(HasSubstr("worker-b has weight"))) << "it serves";
}

TEST_F(Why, TheClusterReportsThatItCanServeNothing) {
    place({{"worker-a"}, {"worker-b"}});
    report("worker-a", 0);
    report("worker-b", 2);
    route();
    const std::string text = why();
    EXPECT_THAT(text, HasSubstr("worker-a has weight 0: ReportsNothing"));
    EXPECT_THAT(text, HasSubstr("the cluster reports 0"));
    EXPECT_THAT(text, HasSubstr("ceiling 0 -> 0"));
}

TEST_F(Why, PlacementAdmittedNoReplica) {
    place({{"worker-a", 0, 2}, {"worker-b"}});
    route();
    const std::string text = why();
    EXPECT_THAT(text, HasSubstr("worker-a has weight 0: NotAdmitted"));
    EXPECT_THAT(text, HasSubstr("placement admitted no replica on the cluster"));
}

TEST_F(Why, TheProbeGatedTheCluster) {
    place({{"worker-a"}, {"worker-b"}});
    probe("worker-a", core::ProbeResult::Failing, true);
    probe("worker-b", core::ProbeResult::Passing, false);
    route();
    const std::string text = why();
    EXPECT_THAT(text, HasSubstr("worker-a has weight 0: Gated"));
    EXPECT_THAT(
        text,
        HasSubstr("the probe gated the cluster, which failed 3 times in a row so far: HTTP 503"));
    EXPECT_THAT(text, HasSubstr("last probe Failing (HTTP 503), 12s ago"));
    EXPECT_THAT(text, HasSubstr("gated by probe (HTTP 503, 3 failures) -> 0"));
    EXPECT_THAT(text,
                HasSubstr("changes by enough passing probes in a row (successThreshold); try the "
                          "probe's path on the endpoint\n"));
}

TEST_F(Why, WhatEndsAGateFollowsFromWhatTheProbeSaid) {
    place({{"worker-a"}, {"worker-b"}});
    probe("worker-b", core::ProbeResult::Passing, false);
    const auto changes = [this](const char* message) {
        probe("worker-a", core::ProbeResult::Failing, true);
        seen_["worker-a"].probe->state.message = message;
        route();
        const std::string text = why("--cluster worker-a");
        EXPECT_THAT(text, HasSubstr("\n             then enough passing probes in a row"));
        return text;
    };
    const auto tells = [](const char* advice) {
        return HasSubstr(std::string("changes by ") + advice);
    };
    EXPECT_THAT(changes("transport error: TLS: certificate has expired"),
                tells("a renewed certificate"));
    EXPECT_THAT(changes("transport error: Get \"https://a\": tls: failed to verify certificate: "
                        "x509: certificate has expired or is not yet valid"),
                tells("a renewed certificate"))
        << "OME's own controller";
    EXPECT_THAT(changes("transport error: TLS: certificate is not valid yet"),
                tells("the time from which the certificate is valid"));
    for (const char* text : {"transport error: TLS: certificate is signed by an unknown authority",
                             "transport error: TLS: certificate is self-signed and not trusted",
                             "transport error: x509: certificate signed by unknown authority"}) {
        EXPECT_THAT(changes(text), tells("trust in its authority (--ca-file")) << text;
    }
    EXPECT_THAT(changes("transport error: TLS: certificate is not valid for a.example"),
                tells("a certificate that has the endpoint's name"));
    EXPECT_THAT(changes("transport error: lookup a.example: no such host"),
                tells("a DNS record of the endpoint's host"));
    EXPECT_THAT(changes("transport error: lookup a.example: no answer from the name servers"),
                tells("name servers that answer the observer"));
    for (const char* text : {"transport error: connection refused",
                             "transport error: connection timed out",
                             "transport error: no route to host"}) {
        EXPECT_THAT(changes(text), tells("a way from the observer to the endpoint")) << text;
    }
    EXPECT_THAT(changes("transport error: TLS: peer does not speak TLS on this port"),
                tells("an endpoint whose scheme fits its port"));
    EXPECT_THAT(changes("transport error: context deadline exceeded"),
                tells("an answer within the probe's timeout"));
}

// "Compare the entry with these rows, and take the first that matches."
TEST_F(Why, TheFirstRowThatMatchesIsTheReason) {
    const auto reason = [this] {
        route();
        return std::string(boost::json::parse(why("--cluster worker-a -o json"))
                               .at("clusters")
                               .at(0)
                               .at("reason")
                               .as_string());
    };
    // As many at once as can be, and then without the first, without the first two, ...
    place({{"worker-a", 0, 0}, {"worker-b"}},
          "  annotations:\n"
          "    ome.io/traffic-drain: '{\"m\":{\"cluster\":\"worker-a\",\"reason\":\"r\"}}'\n");
    report("worker-a", 0);
    report("worker-b", 2);
    probe("worker-a", core::ProbeResult::Failing, true);
    probe("worker-b", core::ProbeResult::Passing, false);
    EXPECT_EQ(reason(), "Drained");
    place({{"worker-a", 0, 0}, {"worker-b"}});
    EXPECT_EQ(reason(), "NotReady");
    place({{"worker-a", 2, 2}, {"worker-b"}});
    EXPECT_EQ(reason(), "ReportsNothing");
    place({{"worker-a", 0, 2}, {"worker-b"}});
    report("worker-a", std::nullopt);
    EXPECT_EQ(reason(), "NotAdmitted");
    place({{"worker-a"}, {"worker-b"}});
    EXPECT_EQ(reason(), "Gated");
    probe("worker-a", core::ProbeResult::Passing, false);
    EXPECT_EQ(reason(), "Serving");
}

// "If every entry has weight 0, or the table is empty, the Routable condition names the cause."
TEST_F(Why, TheWholeMapHasACause) {
    place({{"worker-a", 2, 0}, {"worker-b", 2, 0}});
    route();
    EXPECT_THAT(why(), HasSubstr("Routable    False AllHomesUnready: 2 home(s) addressable"));
    place({});
    route();
    EXPECT_THAT(why(), HasSubstr("Routable    False NoAddressableHome: "));
}

// The condition counts the entries of the map, those of weight 0 too.
TEST_F(Why, HowManyHomesReallyGetTrafficIsTold) {
    place({{"worker-a", 2, 0}, {"worker-b"}});
    route();
    const std::string text = why("--cluster worker-a");
    EXPECT_THAT(text, HasSubstr("Routable    True Routable: 2 home(s) serving\n"));
    EXPECT_THAT(text, HasSubstr("Traffic     1 of 2 homes gets traffic\n"));
    EXPECT_EQ(boost::json::parse(why("-o json")).at("traffic"), "1 of 2 homes gets traffic");
}

// What the guide has no row for.

TEST_F(Why, ThePlanWithdrawsTheHome) {
    plan_ = "    plan: {id: p-1, revision: 1, mode: All}\n";
    place({{.cluster = "worker-a", .allocation = "currentHome: {}, drainRequested: true"},
           {.cluster = "worker-b", .allocation = "currentHome: {}"}});
    route();
    EXPECT_THAT(why(), HasSubstr("worker-a has weight 0: Withdrawn"));
}

TEST_F(Why, AClusterThatIsNoHomeHasAReason) {
    place({{"worker-a"},
           {.cluster = "worker-b", .phase = "Admitting"},
           {.cluster = "worker-c", .endpoint = ""}});
    route();
    EXPECT_THAT(why("--cluster worker-b"), HasSubstr("its phase is Admitting"));
    EXPECT_THAT(why("--cluster worker-c"), HasSubstr("reports no endpoint"));
    EXPECT_THAT(why("--workload-cluster worker-x"),
                HasSubstr("worker-x gets no traffic: NotAHome"));
}

TEST_F(Why, AMisspeltDrainIsTold) {
    place({{"worker-a"}},
          "  annotations:\n"
          "    ome.io/traffic-drain: '{\"d\":{\"cluster\":\"worker-aa\",\"reason\":\"r\"}}'\n");
    route();
    EXPECT_THAT(why(), HasSubstr("! drain d names cluster worker-aa, which is no home"));
}

TEST_F(Why, AFrozenMapIsTold) {
    place({{"worker-a"}});
    route();
    place({{"worker-a"}}, "  annotations: {ome.io/traffic-drain: '[]'}\n");
    EXPECT_THAT(why(),
                HasSubstr("! the map is frozen, its last weights stay: parse ome.io/traffic-drain: "
                          "top-level value must be a JSON object keyed by override ID"));
}

TEST_F(Why, TheLastGoodStateIsToldWhenTheManifestCannotBeUsed) {
    place({{"worker-a", 2, 0}, {"worker-b"}});
    route();
    const std::string file = folder_.path("./inferenceservices/demo/chat.yaml");
    const auto expect_last_good = [&](const std::string& because) {
        const std::string text = why();
        EXPECT_THAT(text, HasSubstr("! the last good state is in force, because " + because));
        EXPECT_THAT(text,
                    HasSubstr("Map         generation 4, made from generation 7 of the "
                              "service\n"));
        EXPECT_THAT(text, HasSubstr("worker-b   1        100.0%   Serving"));
        EXPECT_THAT(text, HasSubstr("worker-a has weight 0: NotReady"));
    };
    folder_.write("inferenceservices/demo/chat.yaml", "");
    expect_last_good(file + ": the file is empty");
    folder_.write("inferenceservices/demo/chat.yaml", "kind: InferenceService\nmetadata: [\n");
    expect_last_good(file + ": line 3");
    folder_.write("inferenceservices/demo/chat.yaml",
                  "kind: InferenceService\nmetadata: {name: chat}\nspec: {placement: 7}\n");
    expect_last_good(file + ": line 3: spec.placement");
    EXPECT_THAT(why("--cluster worker-x"), HasSubstr("the map in force has no entry for it"));
    std::filesystem::remove(folder_.path("trafficmaps/demo/chat.yaml"));
    EXPECT_THAT(why(), HasSubstr("! the InferenceService cannot be understood: spec.placement"))
        << "nothing is in force";
}

TEST_F(Why, AMapWhoseServiceIsGoneIsShown) {
    place({{"worker-a"}});
    route();
    std::filesystem::remove(folder_.path("inferenceservices/demo/chat.yaml"));
    EXPECT_THAT(why(), HasSubstr("! there is no InferenceService, and its map is not deleted yet"));
}

TEST_F(Why, AMapThatIsBehindIsTold) {
    place({{"worker-a", 2, 0}, {"worker-b"}});
    route();
    place({{"worker-a"}, {"worker-b"}});
    EXPECT_THAT(why(),
                HasSubstr("by what the service says now the weight would be 1: the map has not "
                          "followed yet"));
    map_.spec.observed_isvc_generation = 6;
    store(map_);
    EXPECT_THAT(why(),
                AllOf(HasSubstr("! the map is made from generation 6 of the service"),
                      HasSubstr("does the configuration freeze the map (see --config)?")));
}

TEST_F(Why, ARouteThatDoesNotFollowIsTold) {
    place({{"worker-a"}});
    route();
    map_.status.conditions.push_back({.type = "Published",
                                      .status = "False",
                                      .reason = "ApplyFailed",
                                      .message = "m",
                                      .last_transition_time = world_.now,
                                      .observed_generation = 4});
    map_.status.observed_traffic_map_generation = 3;
    map_.status.gateway_ref =
        routing::GatewayRef{"gateway.networking.k8s.io", "HTTPRoute", "demo", "chat-global"};
    store(map_);
    const std::string text = why();
    EXPECT_THAT(text,
                HasSubstr("! the route does not follow the map: it has the weights of generation "
                          "3, the map is at 4: Published is False with reason ApplyFailed: m; the "
                          "cause is in the controller's log: \"TrafficMap publisher "
                          "reconciliation failed\"\n"));
    EXPECT_THAT(text, HasSubstr("False ApplyFailed (Current), route HTTPRoute demo/chat-global"));
}

TEST_F(Why, WhatTheGatewaySaysOfTheRouteIsTold) {
    place({{"worker-a"}});
    route();
    publish();
    const auto say = [this](const std::string& conditions) {
        folder_.write(
            "routes/demo/chat.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: chat-global, namespace: demo}\n"
            "---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n"
            "metadata: {name: chat-global, namespace: demo}\nspec: {}\nstatus:\n"
            "  parents:\n  - controllerName: example.com/gw\n"
            "    parentRef: {name: global}\n    conditions: [" +
                conditions + "]\n");
        return why();
    };
    EXPECT_THAT(say(""), HasSubstr("  Gateway     has not said anything of the route\n"));
    const std::string accepted =
        say("{type: Accepted, status: 'True', reason: Accepted, message: ''}, "
            "{type: ResolvedRefs, status: 'True', reason: ResolvedRefs, message: ''}");
    EXPECT_THAT(accepted, HasSubstr("  Gateway     accepted by example.com/gw\n"));
    EXPECT_THAT(accepted, Not(HasSubstr("!")));
    const std::string refused =
        say("{type: Accepted, status: 'True', reason: Accepted, message: ''}, "
            "{type: ResolvedRefs, status: 'False', reason: BackendNotFound, message: no such}");
    EXPECT_THAT(refused, HasSubstr("  Gateway     refused\n"));
    EXPECT_THAT(refused,
                HasSubstr("! the gateway does not take the route: Gateway global: ResolvedRefs is "
                          "False, BackendNotFound: no such (by example.com/gw)\n"));
    EXPECT_THAT(refused, HasSubstr("True Published")) << "that says only that it is written";
    folder_.write("routes/demo/chat.yaml", "");
    EXPECT_THAT(why(),
                AllOf(HasSubstr("  Gateway     there is no such route\n"),
                      HasSubstr("! HTTPRoute demo/chat-global is not there, although the map says "
                                "it is\n")));
}

TEST(GatewayWord, RoutesThatMayNotBeReadAreNoProblem) {
    const GatewayWord word =
        gateway_word({"demo", "chat-global"}, ClusterError{Failure::Forbidden});
    EXPECT_THAT(word.text,
                HasSubstr("not known: HTTPRoute demo/chat-global read unavailable: Forbidden"));
    EXPECT_THAT(gateway_word({"demo", "chat-global"},
                             ClusterError{.what = Failure::Forbidden, .said = "User bob cannot"})
                    .text,
                EndsWith("read unavailable: Forbidden (User bob cannot)"));
    EXPECT_FALSE(word.problem);
}

TEST_F(Why, WithoutAGatewayNothingIsWrong) {
    place({{"worker-a"}});
    route();
    map_.status.conditions.push_back({.type = "Published",
                                      .status = "False",
                                      .reason = "Withdrawn",
                                      .message = "m",
                                      .last_transition_time = world_.now,
                                      .observed_generation = 4});
    map_.status.observed_traffic_map_generation = 4;
    store(map_);
    const std::string text = why();
    EXPECT_THAT(text,
                HasSubstr("Published   False Withdrawn (Current); nothing is published: no "
                          "gateway, port or global hostname\n"));
    EXPECT_THAT(text, Not(HasSubstr("!")));
    map_.status.conditions.back().observed_generation = 3;
    store(map_);
    EXPECT_THAT(why(), Not(HasSubstr("!"))) << "there is no route, and none is wanted yet";
}

TEST_F(Why, EachReasonOfAPublicationIsToldAsItIs) {
    place({{"worker-a"}});
    const auto said = [this](const std::string& reason, std::int64_t route, bool there) {
        route_ = {reason, route, there};
        route_and_publish();
        return why();
    };
    EXPECT_THAT(said("InvalidPlan", 0, false),
                AllOf(HasSubstr("! no route is published: Published is False with reason "
                                "InvalidPlan: m; the cause is in the controller's log"),
                      Not(HasSubstr("weights of"))));
    EXPECT_THAT(said("InvalidOwner", 4, true),
                HasSubstr("! the route has the weights of the map (generation 4), and will not "
                          "follow its next change: Published is False with reason InvalidOwner"));
    EXPECT_THAT(said("Finalizing", 4, true),
                AllOf(HasSubstr("! the map is being deleted, and its route with it"),
                      HasSubstr("TrafficMap publisher finalization failed")));
    EXPECT_THAT(said("Transitioning", 3, true), HasSubstr("! the route is being written: "));
    EXPECT_THAT(said("Unpublished", 0, false),
                AllOf(HasSubstr("! no route is published: "), Not(HasSubstr("log"))));
}

// The event of a publication is on the service, as the controller writes it (publisher_pass.cpp).
TEST(WhyOnAServer, TheEventOfAPublicationIsOnTheService) {
    World world;
    const json::value service = sample_service();
    json::value map = sample_map(service, {sample_entry("worker-a", 1)});
    map.as_object()["status"].as_object()["conditions"] = json::array{
        json::object{{"type", "Published"}, {"status", "False"}, {"reason", "ClaimRejected"}}};
    world.cluster.put(Kind::InferenceService, service);
    world.cluster.put(Kind::TrafficMap, map);
    EXPECT_EQ(world.run("kubectl ome traffic why chat -n prod --context hub"), 0);
    EXPECT_THAT(world.terminal.output,
                HasSubstr("; and in its event: kubectl describe inferenceservice chat -n prod "
                          "--context=hub\n"));
    world.cluster.remove(Kind::InferenceService, {"prod", "chat"});
    world.terminal.output.clear();
    EXPECT_EQ(world.run("kubectl ome traffic why chat -n prod"), 0);
    EXPECT_THAT(world.terminal.output, Not(HasSubstr("kubectl describe"))) << "it is gone";
}

TEST_F(Why, ClustersThatAreNoHomesAreListedWithTheReason) {
    plan_ = "    plan: {id: p-1, revision: 1, mode: All}\n";
    place({{"worker-a"},
           {.cluster = "worker-b", .phase = "Admitting"},
           {.cluster = "worker-c", .endpoint = ""},
           {.cluster = "worker-d", .endpoint = "localhost:17490/h/x"},
           {.cluster = "worker-e", .allocation = "currentReplicas: 0"}});
    route();
    const std::string text = why();
    EXPECT_THAT(text, HasSubstr("1 of 1 home gets traffic"));
    EXPECT_THAT(text,
                HasSubstr("worker-b gets no traffic: NotAHome\n  why        the cluster has "
                          "not admitted the service: its phase is Admitting\n"));
    EXPECT_THAT(text,
                HasSubstr("worker-c gets no traffic: NotAHome\n  why        the cluster has "
                          "admitted the service and reports no endpoint\n"));
    EXPECT_THAT(text,
                HasSubstr("worker-d gets no traffic: NotAHome\n  why        its endpoint "
                          "cannot be used: status.placement.candidates[3].endpoint: "));
    EXPECT_THAT(text, HasSubstr("! status.placement.candidates[3].endpoint: "));
    EXPECT_THAT(text,
                HasSubstr("worker-e gets no traffic: NotAHome\n  why        the placement "
                          "plan gives the cluster up"));
    EXPECT_THAT(text, Not(HasSubstr("next write of the map"))) << "which would change nothing";
    EXPECT_EQ(boost::json::parse(why("-o json")).at("clusters").as_array().size(), 5U);
}

TEST_F(Why, AHomeThatTheMapDoesNotHaveYetIsTold) {
    place({{"worker-a"}});
    route();
    place({{"worker-a", 2, 1}, {"worker-b"}});
    EXPECT_THAT(why(),
                HasSubstr("! the map has not followed what the service says now of worker-a "
                          "(ready 1, the map has 2), worker-b (no entry yet): does a controller "
                          "run, and may it write?"));
    EXPECT_THAT(why("--cluster worker-b"), HasSubstr("changes by the next write of the map"));
    place({});
    EXPECT_THAT(why(), HasSubstr("worker-a (no home any more)"));
}

TEST_F(Why, ADrainThatIsNotInForceIsTold) {
    const std::string drained =
        "    ome.io/traffic-drain: '{\"while-down\":{\"cluster\":\"worker-a\",\"reason\":"
        "\"nobody\"}}'\n";
    place({{"worker-a"}});
    route();
    place({{"worker-a"}}, "  annotations:\n" + drained);
    std::string text = why();
    EXPECT_THAT(text,
                HasSubstr("! the map does not hold drain while-down yet: does a controller run, "
                          "and may it write?\n"));
    EXPECT_THAT(text, HasSubstr("Serving   not in force yet: admitted 2"));
    EXPECT_THAT(text, HasSubstr("by what the service says now the weight would be 0"));
    place({{"worker-a"}}, "  annotations:\n    ome.io/cluster-selector: x\n" + drained);
    EXPECT_THAT(why(),
                AllOf(HasSubstr("! the map is frozen"),
                      HasSubstr("! drain while-down is not in force: the map is frozen\n"),
                      Not(HasSubstr("next write of the map"))));
    place({{"worker-a"}, {"worker-b"}}, "  annotations: {ome.io/cluster-selector: x}\n");
    EXPECT_THAT(why("--cluster worker-b"),
                HasSubstr("changes by the end of what freezes the map\n"));
    place({{"worker-a"}}, "  annotations:\n" + drained);
    route();
    EXPECT_THAT(why(), Not(HasSubstr("!")));
    place({{"worker-a"}});
    EXPECT_THAT(why(),
                HasSubstr("! the map still holds worker-a by drain while-down, which was taken "
                          "off: does a controller run"));
}

TEST_F(Why, ADrainThatHasLapsedAndIsInForceIsTold) {
    place({{"worker-a"}, {"worker-b"}},
          "  annotations:\n"
          "    ome.io/traffic-drain: '{\"d\":{\"cluster\":\"worker-a\",\"reason\":\"r\"}}'\n"
          "    ome.io/traffic-drain-expiry: '{\"d\":{\"cluster\":\"worker-a\",\"reason\":\"r\","
          "\"until\":\"2026-10-01T11:30:00Z\"}}'\n");
    route();
    EXPECT_THAT(why(), HasSubstr("! drain d lapsed 30m ago and is not taken off yet: "));
}

TEST_F(Why, WhatTheCeilingLeavesIsNamedAsThat) {
    place({{"worker-a"}});
    report("worker-a", 1);
    route();
    EXPECT_THAT(boost::json::serialize(boost::json::parse(why("-o json"))),
                HasSubstr("allocated 1 (placement reports admitted 2, lowered to the cluster's "
                          "report), ready 2"));
    report("worker-a", 2);
    route();
    EXPECT_THAT(why("-o json"), HasSubstr("allocated 2, ready 2, as placement reports"));
}

TEST(WhyOnAServer, ASuggestedCommandAsksTheSameServer) {
    World world;
    const json::value service = sample_service();
    json::object held = sample_entry("worker-a", 0);
    held["drainRefs"] = json::array{"m"};
    json::value drained = service;
    drained.as_object()["metadata"].as_object()["annotations"] =
        json::object{{"ome.io/traffic-drain", R"({"m":{"cluster":"worker-a","reason":"r"}})"}};
    world.cluster.put(Kind::InferenceService, drained);
    world.cluster.put(Kind::TrafficMap, sample_map(service, {held}));
    EXPECT_EQ(world.run("kubectl ome traffic why chat -n prod --kubeconfig '/k/my hub' "
                        "--context hub"),
              0)
        << world.terminal.errors;
    EXPECT_THAT(world.terminal.output,
                HasSubstr("undrain chat -n prod --id m --kubeconfig='/k/my hub' --context=hub\n"));
}

TEST(WhyOnAServer, ARefusalIsToldInTheServersWords) {
    World world;
    world.cluster.failures = {
        {"get InferenceService", {.what = Failure::Forbidden, .said = R"(User "bob" cannot get)"}}};
    EXPECT_EQ(world.run("kubectl ome traffic why chat -n prod"), 1);
    EXPECT_EQ(world.terminal.errors,
              "error: InferenceService read unavailable: Forbidden (User \"bob\" cannot get)\n");
}

TEST(WhyOnAServer, AnAnnotationThatUndrainRefusesIsToBeMended) {
    World world;
    json::value service = sample_service();
    json::object held = sample_entry("worker-a", 0);
    held["drainRefs"] = json::array{"up"};
    world.cluster.put(Kind::TrafficMap, sample_map(service, {held}));
    const auto why = [&](const char* annotation) {
        service.as_object()["metadata"].as_object()["annotations"] =
            json::object{{"ome.io/traffic-drain", annotation}};
        world.cluster.put(Kind::InferenceService, service);
        world.terminal.output.clear();
        EXPECT_EQ(world.run("kubectl ome traffic why chat -n prod --context hub"), 0)
            << world.terminal.errors;
        return world.terminal.output;
    };
    const auto to_mend = AllOf(
        HasSubstr("changes by mending the annotation ome.io/traffic-drain, which undrain refuses "
                  "as it is: kubectl edit inferenceservice chat -n prod --context=hub\n"),
        HasSubstr("or the end of all its drains: kubectl annotate inferenceservice chat -n prod "
                  "ome.io/traffic-drain- --context=hub\n"),
        Not(HasSubstr("taken off")),
        Not(HasSubstr("undrain chat")));
    const std::string unclosed = why(R"({"up":{"cluster":"worker-a","reason":"r"})");
    EXPECT_THAT(unclosed, to_mend);
    EXPECT_THAT(unclosed, HasSubstr("whatever its capacity: up (the annotation is malformed)\n"));
    // The controller takes this one, and undrain does not.
    const std::string unsafe =
        why(R"({"up":{"cluster":"worker-a","reason":"r"},"Drain_1":{"cluster":"b","reason":"r"}})");
    EXPECT_THAT(unsafe, to_mend);
    EXPECT_THAT(unsafe, HasSubstr("whatever its capacity: up (r)\n"));
}

TEST_F(Why, AnAnnotationInAFolderIsMendedWhereItStands) {
    const char* drained =
        "  annotations:\n"
        "    ome.io/traffic-drain: '{\"up\":{\"cluster\":\"worker-a\",\"reason\":\"r\"}}'\n";
    place({{"worker-a"}, {"worker-b"}}, drained);
    route();
    place({{"worker-a"}, {"worker-b"}}, "  annotations: {ome.io/traffic-drain: '{\"up\":'}\n");
    EXPECT_THAT(why(),
                AllOf(HasSubstr("changes by mending the annotation ome.io/traffic-drain, which "
                                "undrain refuses as it is, in the service's manifest or in "
                                "overrides/demo/chat.yaml\n"),
                      Not(HasSubstr("kubectl edit"))));
    place({{"worker-a"}, {"worker-b"}});
    EXPECT_THAT(why("--cluster worker-a"),
                AllOf(HasSubstr("up (taken off; the map has not followed yet)"),
                      HasSubstr("the next write of the map: does a controller run"),
                      Not(HasSubstr("traffic undrain"))))
        << "undrain knows no such drain any more";
}

TEST_F(Why, AServiceInShadowIsMarked) {
    place({{"worker-a"}}, "  annotations: {ome-observer/shadow: \"true\"}\n");
    route();
    EXPECT_THAT(why(), HasSubstr("Shadow      in shadow: readings do not count\n"));
    EXPECT_EQ(boost::json::parse(why("-o json")).at("shadow"), true);
    place({{"worker-a"}});
    EXPECT_THAT(why(), Not(HasSubstr("hadow")));
}

TEST_F(Why, WithoutAMapTheServiceSaysWhy) {
    place({{"worker-a"}});
    EXPECT_THAT(why("--cluster worker-a"),
                HasSubstr("! there is no TrafficMap: routing is off in the installation, or the "
                          "controller does not run"));
    folder_.write("overrides/demo/chat.yaml", "spec: {routing: {enabled: false}}\n");
    EXPECT_THAT(why(), HasSubstr("! there is no TrafficMap: spec.routing.enabled is false"));
}

TEST_F(Why, DrainsTellWhenTheyLapse) {
    place({{"worker-a"}, {"worker-b"}},
          "  annotations:\n"
          "    ome.io/traffic-drain: '{\"d\":{\"cluster\":\"worker-a\",\"reason\":\"r\"}}'\n"
          "    ome.io/traffic-drain-expiry: '{\"d\":{\"cluster\":\"worker-a\",\"reason\":\"r\","
          "\"until\":\"2026-10-01T13:30:00Z\"}}'\n");
    route();
    EXPECT_THAT(why(), HasSubstr("d (r), lapses in 90m"));
}

TEST_F(Why, AnswersInJson) {
    place({{"worker-a", 2, 0}, {"worker-b"}});
    route();
    const boost::json::value report = boost::json::parse(why("-o json"));
    EXPECT_EQ(report.at("kind"), "TrafficExplanation");
    const auto& cluster = report.at("clusters").as_array().at(0);
    EXPECT_EQ(cluster.at("reason"), "NotReady");
    EXPECT_EQ(cluster.at("weight"), 0);
    EXPECT_FALSE(cluster.at("changes").as_array().empty());
}

TEST_F(Why, AnUnknownServiceIsAnError) {
    EXPECT_EQ(world_.run("kubectl ome traffic why chat -n demo --store dir:" + folder_.path(".")),
              1);
    EXPECT_EQ(
        world_.terminal.errors,
        "error: InferenceService read unavailable: NotFound (no chat in namespace demo; there "
        "are none)\n");
    place({{"worker-a"}});
    world_.terminal.errors.clear();
    EXPECT_EQ(world_.run("kubectl ome traffic why chta -n demo --store dir:" + folder_.path(".")),
              1);
    EXPECT_THAT(world_.terminal.errors,
                HasSubstr("NotFound (no chta in namespace demo; there are chat)\n"));
    world_.terminal.errors.clear();
    EXPECT_EQ(world_.run("kubectl ome traffic why chat -n demo --store dir:" + folder_.path(".")),
              0);
    EXPECT_EQ(world_.run("kubectl ome traffic why chat --store dir:" + folder_.path(".")), 1);
    EXPECT_THAT(world_.terminal.errors,
                HasSubstr("\nhint: there is an InferenceService of this name in demo: -n demo\n"));
    EXPECT_EQ(world_.run("kubectl ome traffic why"), 1);
    EXPECT_EQ(world_.run("kubectl ome traffic why Chat"), 1);
}

}  // namespace
}  // namespace ome::kubectl::test
