// The types of deploy/crds/ as a real API server takes them.
#include "kube/servers.hpp"
#include "support/run.hpp"
#include "support/source_file.hpp"
#include <ome/kube/client.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr std::size_t crd_cases = 8;  ///< in tests/cases/observer.json

class CrdsTest : public KubeServerTest {
protected:
    void SetUp() override {
        KubeServerTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            client = std::make_unique<kube::Client>(io, kube_servers().access());
            ns = make_namespace();
        }
    }

    kube::Outcome<json::value> create(const kube::Resource& resource, const json::object& object) {
        return run(io,
                   client->create(collection_path(resource, ns), json::serialize(object), "test"));
    }

    net::asio::io_context io{1};
    std::unique_ptr<kube::Client> client;
    std::string ns;
};

json::object service_with(const std::string& name, const json::value& routing) {
    return {
        {"apiVersion", "ome.io/v1beta1"},
        {"kind", "InferenceService"},
        {"metadata", {{"name", name}}},
        {"spec",
         {{"placement", {{"policy", "ClusterAffinity"}, {"mode", "All"}}}, {"routing", routing}}}};
}

json::array cases() {
    std::ifstream in(source_file("tests/cases/observer.json"));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    json::array chosen;
    const json::value all = json::parse(text);
    for (const json::value& entry : all.as_array()) {
        const json::value* level = entry.at("input").as_object().if_contains("level");
        if (level != nullptr && *level == "crd-cel") {
            chosen.push_back(entry);
        }
    }
    return chosen;
}

std::set<std::string> expected_messages(const json::value& expect) {
    std::set<std::string> messages;
    if (const json::value* list = expect.as_object().if_contains("rejected_with")) {
        for (const json::value& message : list->as_array()) {
            messages.emplace(message.as_string());
        }
    }
    return messages;
}

// The message of a rule follows what the server says of every object that breaks one.
std::set<std::string> rule_messages(const kube::Failure& failure) {
    constexpr std::string_view broken = "Invalid value: \"object\": ";
    std::set<std::string> messages;
    for (const wire::ApiStatus::Cause& cause : failure.status.causes) {
        const bool of_rule = cause.message.starts_with(broken);
        messages.insert(of_rule ? cause.message.substr(broken.size()) : cause.message);
    }
    return messages;
}

TEST_F(CrdsTest, TheServerRefusesWhatTheCasesSayAndNothingElse) {
    const json::array all = cases();
    ASSERT_EQ(all.size(), crd_cases) << "the cases are not those that are known";
    int count = 0;
    for (const json::value& entry : all) {
        const std::string name(entry.at("name").as_string());
        const std::set<std::string> expected = expected_messages(entry.at("expect"));
        const auto stored =
            create(kube::inference_services,
                   service_with(fmt::format("case-{}", ++count), entry.at("input").at("routing")));
        EXPECT_EQ(stored.has_value(), expected.empty())
            << name << (stored ? "" : ": " + stored.error().message);
        if (stored.has_error()) {
            EXPECT_TRUE(stored.error().invalid()) << name << ": " << stored.error().message;
            EXPECT_EQ(rule_messages(stored.error()), expected)
                << name << ": " << stored.error().message;
        }
    }
}

json::value probe_with(const json::object& changes) {
    json::object probe = json::parse(R"({"path":"/v1/models","method":"GET","acceptStatuses":[200],
        "gateStatuses":[500],"period":"10s","timeout":"3s","failureThreshold":3,
        "successThreshold":2,"allFailedPolicy":"Drain"})")
                             .as_object();
    for (const auto& change : changes) {
        probe[change.key()] = change.value();
    }
    return {{"probe", probe}};
}

TEST_F(CrdsTest, EveryRuleAndFacetOfAServiceHolds) {
    struct Refused {
        json::value routing;
        std::string because;
    };
    const json::object capacity = json::parse(R"({"path":"/c","method":"GET","format":"Report",
        "samples":4,"quorum":3,"period":"10s","timeout":"3s","maxAge":"40s"})")
                                      .as_object();
    const auto capacity_with = [&](const char* name, const json::value& value) {
        json::object changed = capacity;
        changed[name] = value;
        return json::value{{"capacity", changed}};
    };
    json::object options;
    for (int i = 0; i < 33; ++i) {
        options[fmt::format("k{}", i)] = "v";
    }
    const std::vector<Refused> refused{
        {json::parse(R"({"probe":{}})"), "an enabled probe must specify path, method"},
        {json::parse(R"({"capacity":{}})"), "an enabled capacity poll must specify path, method"},
        {json::parse(R"({"probe":{"disabled":true,"period":"0s"}})"),
         "disabled must not be combined with probe"},
        {probe_with({{"period", "0s"}}), "period must be positive"},
        {probe_with({{"timeout", "-1s"}}), "timeout must be positive"},
        {probe_with({{"period", "10"}}), "type conversion error"},
        {probe_with({{"gateStatuses", {500, 429}}}),
         "gateStatuses must not contain 401, 403, or 429"},
        {probe_with({{"gateStatuses", json::array{}}}), "gateStatuses"},
        {probe_with({{"acceptStatuses", {200, 200}}}), "Duplicate value"},
        {probe_with({{"acceptStatuses", {99}}}), "acceptStatuses"},
        {probe_with({{"acceptStatuses", {600}}}), "acceptStatuses"},
        {probe_with({{"path", "v1"}}), "path"},
        {probe_with({{"path", ""}}), "path"},
        {probe_with({{"method", "PUT"}}), "method"},
        {probe_with({{"failureThreshold", 0}}), "failureThreshold"},
        {probe_with({{"successThreshold", 0}}), "successThreshold"},
        {probe_with({{"allFailedPolicy", "Panic"}}), "allFailedPolicy"},
        {capacity_with("timeout", "10s"), "timeout must be shorter than period"},
        {capacity_with("maxAge", "9s"), "maxAge must be at least period"},
        {capacity_with("quorum", 5), "quorum must not exceed samples"},
        {capacity_with("format", ""), "format"},
        {capacity_with("samples", 0), "samples"},
        {json::parse(R"({"capacityFactors":{"a":"fast"}})"), "capacityFactors"},
        {{{"publisher", {{"options", options}}}}, "options"},
        {json::parse(R"({"publisher":{"options":{"k":""}}})"),
         "publisher option keys must contain"},
        {json::parse(R"({"publisher":{"options":{"":"v"}}})"),
         "publisher option keys must contain"},
    };
    int count = 0;
    for (const Refused& one : refused) {
        const auto stored = create(kube::inference_services,
                                   service_with(fmt::format("refused-{}", ++count), one.routing));
        ASSERT_FALSE(stored) << one.because;
        EXPECT_TRUE(stored.error().invalid()) << stored.error().message;
        EXPECT_THAT(stored.error().message, HasSubstr(one.because));
    }
}

TEST_F(CrdsTest, WhatOnlyShowsAtRunTimeIsLetThrough) {
    int count = 0;
    for (const json::value& routing :
         {probe_with({{"gateStatuses", {200, 503}}}),
          probe_with({{"period", "20ms"}, {"timeout", "10ms"}}),
          json::parse(R"({"capacityFactors":{"a":"0","b":-1,"c":"1500m","d":2}})"),
          json::parse(R"({"enabled":false})"),
          json::parse(R"({"probe":{"disabled":true}})")}) {
        const auto stored = create(kube::inference_services,
                                   service_with(fmt::format("kept-{}", ++count), routing));
        EXPECT_TRUE(stored) << stored.error().message;
        if (stored) {
            EXPECT_EQ(stored->at("spec").at("routing"), routing) << "nothing is pruned";
        }
    }
}

TEST_F(CrdsTest, TheExampleIsAppliedAsTheGuidesSay) {
    const std::string file = source_file("deploy/examples/isvc.yaml");
    const KubeServers& servers = kube_servers();
    ASSERT_EQ(servers.kubectl({"create", "namespace", "qwen3-0-6b"}).exit_code, 0);
    EXPECT_EQ(servers.kubectl({"apply", "-f", file}).output,
              "inferenceservice.ome.io/qwen3-0-6b created\n");
    EXPECT_EQ(servers.kubectl({"apply", "-f", file}).output,
              "inferenceservice.ome.io/qwen3-0-6b configured\n")
        << "its status is never taken, so there is always something to do";
    EXPECT_EQ(servers
                  .kubectl({"get",
                            "isvc",
                            "qwen3-0-6b",
                            "-n",
                            "qwen3-0-6b",
                            "-o",
                            "jsonpath={.spec.model.name} {.spec.routing.probe.period} {.status}"})
                  .output,
              "qwen3-0-6b 10s ")
        << "the status is for OME's placement controller to write";
    static_cast<void>(servers.kubectl({"delete", "namespace", "qwen3-0-6b", "--wait=false"}));
}

TEST_F(CrdsTest, WhatIsNotOfRoutingIsKeptAsItIsWritten) {
    json::object service = service_with("kept", probe_with({}));
    service["spec"].as_object()["model"] = json::object{{"name", "llama"}};
    service["spec"].as_object()["engine"] = json::parse(R"({"minReplicas":1,"x":[{"y":"z"}]})");
    const auto stored = create(kube::inference_services, service);
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_EQ(stored->at("spec"), service["spec"]);
}

json::object full_map() {
    return json::parse(R"({
      "apiVersion":"ome.io/v1beta1","kind":"TrafficMap","metadata":{"name":"chat"},
      "spec":{"placementPlanID":"p","service":"chat","mode":"Split","observedISVCGeneration":7,
        "entries":[{"cluster":"a","endpoint":"http://a","weight":2,"healthy":true,
          "capacity":{"allocated":4,"ready":4,"factor":"1500m","source":"Endpoint","reported":4,"fallbackReason":"x"},
          "probe":{"policyDigest":"sha256:0000000000000000000000000000000000000000000000000000000000000000",
            "result":"Failing","gated":true,"lastProbeTime":"2026-09-28T10:00:00Z","consecutiveFailures":3,"message":"HTTP 503"},
          "drainRefs":["d"]},
          {"cluster":"b","endpoint":"http://b","weight":0,"healthy":false,"capacity":{"source":"ControlPlane"}}]}})")
        .as_object();
}

json::object full_status() {
    return json::parse(R"({"sourceUID":"u","published":true,"observedTrafficMapGeneration":4,
      "gatewayRef":{"group":"gateway.networking.k8s.io","kind":"HTTPRoute","name":"chat-global","namespace":"n"},
      "publisher":{"publisherName":"gatewayapi","claimedTargets":["t"],
        "observedOptionsDigest":"sha256:0000000000000000000000000000000000000000000000000000000000000000",
        "lastPositive":{"trafficMapGeneration":1,"observedISVCGeneration":1,
          "planCompatibilityDigest":"sha256:0000000000000000000000000000000000000000000000000000000000000000",
          "targets":[{"target":"t","weight":2}]}},
      "conditions":[{"type":"Routable","status":"True","reason":"Routable","message":"2 home(s) serving",
        "lastTransitionTime":"2026-09-28T10:00:00Z","observedGeneration":1}]})")
        .as_object();
}

TEST_F(CrdsTest, EveryFieldOfAMapIsKept) {
    json::object map = full_map();
    const auto stored = create(kube::traffic_maps, map);
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_EQ(stored->at("spec"), map["spec"]);
    EXPECT_EQ(stored->as_object().if_contains("status"), nullptr);
    json::object with_status = stored->as_object();
    with_status["status"] = full_status();
    with_status["spec"] = json::object{{"service", "other"}};
    const auto written = run(io,
                             client->replace(object_path(kube::traffic_maps, ns, "chat", "status"),
                                             json::serialize(with_status),
                                             "test"));
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written->at("status"), full_status());
    EXPECT_EQ(written->at("spec"), map["spec"]) << "the status subresource writes nothing else";
    EXPECT_EQ(written->at("metadata").at("generation"), 1);
}

TEST_F(CrdsTest, AMapsColumnsAreThoseOfTheGuide) {
    json::object map = full_map();
    ASSERT_TRUE(create(kube::traffic_maps, map));
    for (const char* type : {"trafficmap", "tm", "tmap"}) {
        const CommandResult shown = kube_servers().kubectl({"get", type, "chat", "-n", ns});
        EXPECT_THAT(shown.output,
                    testing::ContainsRegex(
                        "NAME +MODE +PUBLISHED +ROUTABLE +OVERRIDE +REASON +AGE\nchat +Split +"))
            << shown.output;
    }
}

// contract/trafficmap.md, "The CRD": name, type and path of each column, in their order.
TEST_F(CrdsTest, AMapsNamesAndColumnsAreThoseOfTheContract) {
    const json::value crd = json::parse(
        kube_servers().kubectl({"get", "crd", "trafficmaps.ome.io", "-o", "json"}).output);
    EXPECT_EQ(crd.at_pointer("/spec/names/shortNames"), (json::array{"tm", "tmap"}));
    EXPECT_EQ(crd.at_pointer("/spec/names/listKind"), "TrafficMapList");
    EXPECT_EQ(crd.at_pointer("/spec/scope"), "Namespaced");
    const json::value& version = crd.at_pointer("/spec/versions/0");
    EXPECT_EQ(version.at("name"), "v1beta1");
    EXPECT_EQ(version.at("subresources"), (json::value{{"status", json::object{}}}));
    const json::value wanted = json::parse(R"([
        {"name":"Mode","type":"string","jsonPath":".spec.mode"},
        {"name":"Published","type":"string","jsonPath":".status.conditions[?(@.type==\"Published\")].status"},
        {"name":"Routable","type":"string","jsonPath":".status.conditions[?(@.type==\"Routable\")].status"},
        {"name":"Override","type":"string","jsonPath":".status.conditions[?(@.type==\"OverrideActive\")].status"},
        {"name":"Reason","type":"string","jsonPath":".status.conditions[?(@.type==\"Routable\")].reason"},
        {"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}])");
    EXPECT_EQ(version.at("additionalPrinterColumns"), wanted);
    ASSERT_TRUE(create(kube::traffic_maps, full_map()));
    const auto columns = [](std::vector<std::string> command) {
        const std::string table = kube_servers().kubectl(std::move(command)).output;
        return table.substr(0, table.find('\n'));
    };
    EXPECT_EQ(columns({"get", "tm", "-n", ns, "-o", "wide"}),
              columns({"get", "trafficmaps", "-n", ns}))
        << "no column is only for -o wide";
}

void look_for_descriptions(const std::string& path,
                           const json::object& schema,
                           std::vector<std::string>& missing) {
    const json::value* items = schema.if_contains("items");
    const json::object& fields = items == nullptr ? schema : items->as_object();
    const json::value* properties = fields.if_contains("properties");
    if (properties == nullptr) {
        return;
    }
    for (const auto& field : properties->as_object()) {
        const std::string name = path + "." + std::string(field.key());
        if (!field.value().as_object().contains("description")) {
            missing.push_back(name);
        }
        look_for_descriptions(name, field.value().as_object(), missing);
    }
}

TEST_F(CrdsTest, KubectlExplainsEveryFieldOfAMap) {
    const json::value crd = json::parse(
        kube_servers().kubectl({"get", "crd", "trafficmaps.ome.io", "-o", "json"}).output);
    const json::value& schema =
        crd.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties");
    std::vector<std::string> missing;
    for (const char* part : {"spec", "status"}) {
        look_for_descriptions(part, schema.at(part).as_object(), missing);
    }
    EXPECT_THAT(missing, testing::IsEmpty());
    // The server takes a moment to publish what it knows of a new type.
    std::string shown;
    EXPECT_TRUE(eventually([&] {
        shown = kube_servers().kubectl({"explain", "trafficmap.spec"}).output;
        return shown.find("entries\t<[]Object>") != std::string::npos;
    })) << shown;
    EXPECT_THAT(shown, HasSubstr("observedISVCGeneration\t<integer>"));
    EXPECT_THAT(kube_servers().kubectl({"explain", "tm.spec.entries.capacity.reported"}).output,
                HasSubstr("The ceiling that the cluster reports."));
    EXPECT_THAT(kube_servers().kubectl({"explain", "isvc.spec.routing.probe"}).output,
                HasSubstr("failureThreshold\t<integer>"));
}

TEST_F(CrdsTest, AMapIsRefusedWhereItBreaksItsType) {
    const auto broken = [&](const char* pointer, const json::value& value) {
        json::value map = full_map();
        map.at_pointer(pointer) = value;
        const auto stored = create(kube::traffic_maps, map.as_object());
        EXPECT_FALSE(stored) << pointer;
        EXPECT_TRUE(stored.has_value() || stored.error().invalid()) << pointer;
    };
    broken("/spec/mode", "Some");
    broken("/spec/entries/0/weight", 1000001);
    broken("/spec/entries/0/weight", -1);
    broken("/spec/entries/1/cluster", "a");
    broken("/spec/entries/0/capacity/source", "Guess");
    broken("/spec/entries/0/capacity/reported", -1);
    broken("/spec/entries/0/capacity/factor", "fast");
    broken("/spec/entries/0/probe/policyDigest", "sha256:0");
    broken("/spec/entries/0/probe/result", "Maybe");
    broken("/spec/entries/0/drainRefs", json::array{"d", "d"});
    json::object map = full_map();
    map["spec"].as_object().erase("service");
    EXPECT_FALSE(create(kube::traffic_maps, map));
}

TEST_F(CrdsTest, ASourceIsTheControlPlaneByDefaultAndAFactorHasNoDefault) {
    json::value map = full_map();
    map.at_pointer("/spec/entries/0/capacity") = json::object{{"ready", 1}};
    const auto stored = create(kube::traffic_maps, map.as_object());
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_EQ(stored->at_pointer("/spec/entries/0/capacity"),
              (json::value{{"ready", 1}, {"source", "ControlPlane"}}));
}

}  // namespace
}  // namespace ome::test
