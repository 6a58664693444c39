// The walks through the guides, word for word; what they show is in tests/kube/guides.
#include "kube/gateway_api.hpp"
#include "kube/guide_on_kube.hpp"
#include "kube/kube_publishing.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* missing_poll =
    "an enabled capacity poll must specify path, method, format, period, timeout, samples, quorum, "
    "and maxAge";
constexpr const char* missing_probe =
    "an enabled probe must specify path, method, acceptStatuses, gateStatuses, period, timeout, "
    "failureThreshold, successThreshold, and allFailedPolicy";

/// The guide's block in place of the one in the manifest, which stands below `spec` as well.
std::string block_off(const GuideText& guide) {
    const std::string& shown = guide.file("off");
    EXPECT_THAT(shown, StartsWith("spec:\n"));
    return shown.substr(shown.find('\n') + 1);
}

/// The service of two of the guides, on simulated homes.
class GuidedService : public GuideOnKube {
protected:
    void start(const GuideText& guide) {
        homes = std::make_unique<Homes>(
            std::vector<std::string>{"--home", "worker-a", "--home", "worker-b"});
        begin("qwen3-0-6b");
        write_manifest(with_routing(guide.file("isvc.yaml"), ""));
        EXPECT_EQ(sh("kubectl apply -f isvc.yaml").output,
                  "inferenceservice.ome.io/qwen3-0-6b created\n");
        place(
            "qwen3-0-6b",
            {{"worker-a", homes->endpoint("worker-a")}, {"worker-b", homes->endpoint("worker-b")}});
        run_controller(guide.file("values.yaml"));
    }

    /// `kubectl apply` takes it, and the log tells what is wrong with it.
    void expect_refused_later(const GuideText& guide,
                              const std::string& manifest,
                              const std::string& error) {
        write_manifest(manifest);
        expect_printed(guide.part("apply"));
        expect_logged(guide.part("log-policy"), error);
    }

    void expect_refused_at_once(const std::string& manifest, const std::string& message) {
        write_manifest(manifest);
        const CommandResult refused = sh("kubectl apply -f isvc.yaml");
        EXPECT_NE(refused.exit_code, 0);
        EXPECT_THAT(refused.output, HasSubstr(message));
    }
};

TEST_F(GuidedService, TuneRoutingCapacityPolling) {
    const GuideText guide(source_file("tests/kube/guides/capacity-polling.txt"));
    start(guide);
    homes->set("worker-a", R"({"poll":{"report":3}})");
    homes->set("worker-b", R"({"poll":{"report":1}})");
    // Step 2
    const std::string manifest = guide.file("isvc.yaml");
    expect_refused_at_once(with_line(manifest, "maxAge:", ""), missing_poll);
    write_manifest(manifest);
    expect_printed(guide.part("apply"));
    // Step 3
    expect_soon(guide.part("fallback"));
    expect_soon(guide.part("table"));
    EXPECT_THAT(sh("kubectl ome placement endpoint qwen3-0-6b -n qwen3-0-6b -o wide").output,
                AllOf(HasSubstr("EndpointCapacityAvailable"),
                      HasSubstr("ControlPlane"),
                      HasSubstr("Endpoint")));
    // A home falls back to its admitted replicas
    homes->set("worker-b", R"({"poll":{"gone":true}})");
    expect_soon(guide.part("reasons"));
    EXPECT_THAT(sh(guide.part("fallback").command).output,
                HasSubstr("True       EndpointCapacityUnavailable   1 of 2 home(s) are using "
                          "control-plane capacity; inspect "
                          "spec.entries[].capacity.fallbackReason\n"));
    const std::string gauge =
        R"(ome_trafficmap_capacity_fallback_homes{namespace="qwen3-0-6b",trafficmap="qwen3-0-6b"})";
    EXPECT_TRUE(eventually([&] {
        return controller->get("/metrics").body.find("\n" + gauge + " 1\n") != std::string::npos;
    }));
    // The TrafficMap doesn't pick up the poll
    expect_refused_later(
        guide,
        with_line(with_line(manifest, "timeout:", "timeout: 100ms"), "period:", "period: 500ms"),
        "resolve capacity policy: spec.routing.capacity.period (500ms) must be at least "
        "routing.observer.minPeriod (1s)");
    // Turn the poll off
    write_manifest(with_routing(manifest, block_off(guide)));
    expect_printed(guide.part("apply-off"));
    expect_soon(guide.part("fallback").command,
                "FALLBACK   REASON                    MESSAGE\n"
                "False      CapacityPollingDisabled   endpoint capacity polling is disabled");
    EXPECT_THAT(controller->get("/metrics").body, Not(HasSubstr(gauge)));
}

TEST_F(GuidedService, ConfigureRoutingHealthProbes) {
    const GuideText guide(source_file("tests/kube/guides/health-probes.txt"));
    start(guide);
    const std::string& table = guide.part("table").command;
    // Step 1
    expect_soon(table, "worker-a 1 true Passing HTTP 200\nworker-b 1 true Passing HTTP 200");
    expect_printed(guide.part("phase"));
    // Step 2
    const std::string manifest = guide.file("isvc.yaml");
    expect_refused_at_once(with_line(manifest, "successThreshold:", ""), missing_probe);
    homes->set("worker-b", R"({"probe":{"status":503}})");
    write_manifest(manifest);
    expect_printed(guide.part("apply"));
    // Step 3
    expect_soon(guide.part("table"));
    EXPECT_THAT(sh("kubectl ome placement endpoint qwen3-0-6b -n qwen3-0-6b").output,
                AllOf(HasSubstr("worker-a"),
                      HasSubstr("worker-b"),
                      HasSubstr("Recorded probe       Failing"),
                      HasSubstr("gate=True")));
    // When every cluster fails
    homes->set("worker-a", R"({"probe":{"status":503}})");
    expect_soon(guide.part("routable"));
    // Turn the probe off
    write_manifest(with_routing(manifest, block_off(guide)));
    expect_printed(guide.part("apply-off"));
    expect_soon(table, "worker-a 1 true\nworker-b 1 true");
    // ... and back to the chart's
    write_manifest(with_routing(manifest, ""));
    expect_printed(guide.part("apply"));
    expect_soon(guide.part("routable").command,
                "ROUTABLE   REASON                MESSAGE\n"
                "True       AllHomesProbeFailed   2 home(s) have conclusive probe failures; "
                "preserving traffic among homes with ready capacity");
    // The TrafficMap doesn't pick up the probe
    expect_refused_later(guide,
                         with_line(manifest, "gateStatuses:", "gateStatuses: [200, 503]"),
                         "validate routing policy: spec.routing.probe status 200 is in both "
                         "acceptStatuses and gateStatuses");
    expect_refused_later(
        guide,
        with_line(with_line(manifest, "timeout:", "timeout: 100ms"), "period:", "period: 500ms"),
        "resolve probe policy: spec.routing.probe.period (500ms) must be at least "
        "routing.observer.minPeriod (1s)");
    // To take the service out of routing instead
    write_manifest(with_routing(manifest, "  routing:\n    enabled: false\n"));
    expect_printed(guide.part("apply"));
    expect_soon("kubectl get trafficmap -n qwen3-0-6b",
                "No resources found in qwen3-0-6b namespace.");
}

TEST_F(GuideOnKube, TheControllerRolloutDoesNotFinish) {
    const GuideText capacity(source_file("tests/kube/guides/capacity-polling.txt"));
    const GuideText probes(source_file("tests/kube/guides/health-probes.txt"));
    const auto ends_with = [&](const GuideText& guide, const std::string& configuration) {
        controller =
            std::make_unique<ControllerProcess>(kube_servers().kubeconfig("controller"),
                                                ns,
                                                LeaseTimes{},
                                                "bad",
                                                ControllerSetup{.configuration = configuration});
        EXPECT_EQ(controller->process().wait_for_exit(kube_patience), 78);
        return filtered_log(guide.part("log-start"));
    };
    const std::string polling = rendered(capacity.file("values.yaml"));
    EXPECT_THAT(ends_with(capacity, with_line(polling, "period:", "period: \"10\"")),
                HasSubstr("invalid multi-cluster configuration: routing.capacity.period: "
                          "\"10\" is not a duration (use forms like \"30s\", \"5m\")"));
    EXPECT_THAT(ends_with(capacity, with_line(polling, "maxSamples:", "maxSamples: 0")),
                HasSubstr("invalid multi-cluster configuration: routing.observer.maxSamples must "
                          "be positive when routing is enabled"));
    const std::string probing = rendered(probes.file("values.yaml"));
    EXPECT_THAT(ends_with(probes, with_line(probing, "timeout:", "timeout: 10s")),
                HasSubstr("invalid multi-cluster configuration: routing.probe.timeout (10s) must "
                          "be shorter than routing.probe.period (10s)"));
}

class TrafficMapGuide : public GuideOnKube {
protected:
    void SetUp() override {
        GuideOnKube::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        install_gateway_api();
        begin("llama-demo");
        kubectl({"apply", "-n", ns, "-f", "-"},
                R"({"apiVersion":"ome.io/v1beta1","kind":"InferenceService",
                    "metadata":{"name":"llama-chat",
                                "annotations":{"ome.io/global-host":"llama.global.example.com"}},
                    "spec":{"placement":{"policy":"ClusterAffinity","mode":"Split"},"engine":{}}})");
        place("llama-chat",
              {{"cluster-a", "http://llama-chat.llama-demo.cluster-a.example.com", 4},
               {"cluster-b", "http://llama-chat.llama-demo.cluster-b.example.com", 2}});
    }

    /// Other people's changes of the spec, each of which makes a generation.
    void change_service_until(int generation) {
        for (int next = generation_of_service() + 1; next <= generation; ++next) {
            patch("inferenceservice",
                  "llama-chat",
                  fmt::format(R"({{"spec":{{"engine":{{"maxReplicas":{}}}}}}})", next));
        }
    }
    int generation_of_service() {
        return std::stoi(field("inferenceservice", "llama-chat", "{.metadata.generation}"));
    }
    bool has_map_of(int generation) {
        return eventually([&] {
            return field("trafficmap", "llama-chat", "{.spec.observedISVCGeneration}") ==
                   std::to_string(generation);
        });
    }

    json::object map_as_json() {
        return json::parse(
                   kubectl({"get", "trafficmap", "llama-chat", "-n", ns, "-o", "json"}).output)
            .as_object();
    }

    const GuideText guide{source_file("tests/kube/guides/traffic-map.txt")};
    const std::string publishing =
        "endpoint: {globalGateway: gateway-system/global, backendPort: 80}\n";
};

/// All but the age, and the width of its column.
std::string without_age(const std::string& table) {
    std::istringstream lines(as_printed(table));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        text += line.substr(0, line.rfind(' ') + 1) + "\n";
    }
    return text;
}

TEST_F(TrafficMapGuide, ReadATrafficMap) {
    change_service_until(4);
    run_controller(guide.file("values.yaml"), publishing);
    for (int generation = 4; generation <= 7; ++generation) {
        change_service_until(generation);
        ASSERT_TRUE(has_map_of(generation)) << controller->output();
    }
    expect_soon(guide.part("generations"));

    const GuidePart& get = guide.part("get");
    const CommandResult shown = sh(get.command);
    EXPECT_EQ(without_age(shown.output), without_age(get.text)) << shown.output;
    EXPECT_THAT(shown.output, testing::ContainsRegex(" [0-9]+[smh]+[0-9sm]*\n$"));
    for (const char* name : {" tm ", " tmap "}) {
        std::string command = get.command;
        command.replace(command.find(" trafficmap "), std::string(" trafficmap ").size(), name);
        EXPECT_EQ(without_age(sh(command).output), without_age(get.text)) << command;
    }
    EXPECT_THAT(sh("kubectl describe trafficmap llama-chat -n llama-demo").output,
                testing::ContainsRegex("Reason: +Unsupported\n *Status: +False\n *Type: "
                                       "+PublicationFallback\n"));
    EXPECT_THAT(sh("kubectl ome get trafficmaps -n llama-demo -o wide").output,
                AllOf(HasSubstr("llama-chat"), HasSubstr("llama-chat-global")));
}

TEST_F(TrafficMapGuide, TheMapHasExactlyTheFieldsOfTheSample) {
    change_service_until(4);
    run_controller(guide.file("values.yaml"), publishing);
    for (int generation = 4; generation <= 7; ++generation) {
        change_service_until(generation);
        ASSERT_TRUE(has_map_of(generation)) << controller->output();
    }
    expect_soon(guide.part("generations"));
    // kubectl reads the sample's YAML; nothing is sent.
    json::value sample = json::parse(
        kubectl({"create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-"},
                guide.file("map.yaml"))
            .output);
    json::object map = map_as_json();
    json::object status = map["status"].as_object();
    EXPECT_EQ(status.erase("conditions"), 1U);
    EXPECT_EQ(status.erase("publisher"), 1U);
    sample.at("status").at("sourceUID") = uid_of("llama-chat");
    EXPECT_EQ(json::value(status), sample.at("status"));
    EXPECT_EQ(map["spec"], sample.at("spec"));
    EXPECT_EQ(map["apiVersion"], sample.at("apiVersion"));
    EXPECT_EQ(map["kind"], sample.at("kind"));
    for (const char* member : {"name", "namespace", "generation"}) {
        EXPECT_EQ(map["metadata"].at(member), sample.at("metadata").at(member)) << member;
    }
}

TEST_F(TrafficMapGuide, AHandEditIsUndoneAndErrorsStopTheMap) {
    run_controller(guide.file("values.yaml"), publishing);
    const auto weights_are = [&](const std::string& expected) {
        return eventually([&] { return weights("llama-chat") == expected; });
    };
    const auto published = [&](const std::string& expected) {
        return eventually([&] {
            return field("trafficmap",
                         "llama-chat",
                         R"({.status.conditions[?(@.type=="Published")].status} )"
                         R"({.status.conditions[?(@.type=="Published")].reason})") == expected;
        });
    };
    ASSERT_TRUE(weights_are("2 1")) << controller->output();
    ASSERT_TRUE(published("True Published")) << controller->output();
    kubectl({"patch",
             "trafficmap",
             "llama-chat",
             "-n",
             ns,
             "--type=json",
             "-p",
             R"([{"op":"replace","path":"/spec/entries/0/weight","value":9}])"});
    EXPECT_TRUE(weights_are("2 1"));
    // When the map stops updating
    patch("inferenceservice",
          "llama-chat",
          R"({"spec":{"routing":{"capacityFactors":{"cluster-b":"0"}}}})");
    EXPECT_TRUE(published("False InvalidOwner")) << controller->output();
    EXPECT_THAT(controller->output(), HasSubstr("validate routing policy:"));
    EXPECT_EQ(weights("llama-chat"), "2 1");
    patch("inferenceservice", "llama-chat", R"({"spec":{"routing":{"capacityFactors":null}}})");
    EXPECT_TRUE(published("True Published")) << controller->output();
    // To opt an InferenceService out
    patch("inferenceservice", "llama-chat", R"({"spec":{"routing":{"enabled":false}}})");
    EXPECT_TRUE(eventually([&] {
        return sh("kubectl get trafficmap llama-chat -n llama-demo --ignore-not-found")
            .output.empty();
    })) << controller->output();
}

}  // namespace
}  // namespace ome::test
