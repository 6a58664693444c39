#include "render_command.hpp"

#include "generations.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/wire/folder_identity.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ome::controller {
namespace {

constexpr const char* now_text = "2026-09-28T10:00:00Z";

// Six ready replicas on two clusters; the guide's llama-chat.
std::string service(const std::string& name,
                    const std::string& more_spec = "",
                    const std::string& meta = "") {
    return R"({"apiVersion":"ome.io/v1beta1","kind":"InferenceService","metadata":{"name":")" +
           name + R"(","namespace":"llama-demo","uid":"uid-1","generation":7)" + meta +
           R"(},"spec":{"placement":{"policy":"ClusterAffinity","mode":"Split"})" + more_spec +
           R"(},"status":{"placement":{"phase":"Placed","candidates":[)"
           R"({"cluster":"cluster-b","phase":"Admitted","endpoint":"http://b.example.com",)"
           R"("admittedReplicas":2,"readyReplicas":2},)"
           R"({"cluster":"cluster-a","phase":"Admitted","endpoint":"http://a.example.com",)"
           R"("admittedReplicas":4,"readyReplicas":4}]}}})";
}

constexpr const char* probe_block =
    R"(,"routing":{"probe":{"path":"/v1/models","method":"GET","acceptStatuses":[200],)"
    R"("gateStatuses":[503],"period":"10s","timeout":"3s","failureThreshold":3,)"
    R"("successThreshold":2,"allFailedPolicy":"PreserveTraffic"}})";

constexpr const char* capacity_block =
    R"(,"routing":{"capacity":{"path":"/capacity","method":"GET","format":"Report","samples":4,)"
    R"("quorum":3,"period":"10s","timeout":"3s","maxAge":"40s"}})";

class RenderCommand : public testing::Test {
protected:
    std::string file(const std::string& name, const std::string& content) {
        const std::string path = testing::TempDir() + "render_command_" + name;
        std::ofstream(path) << content;
        paths_.push_back(path);
        return path;
    }

    void TearDown() override {
        for (const std::string& path : paths_) {
            std::remove(path.c_str());
        }
    }

    static RenderOutcome run(const RenderOptions& options, const std::string& input = "") {
        std::istringstream in(input);
        return run_render(options, in, *core::parse_timestamp(now_text));
    }

    static RenderOutcome run_on(const std::string& input, const std::string& output = "json") {
        RenderOptions options;
        options.isvc = {"-"};
        options.output = output;
        return run(options, input);
    }

    static routing::TrafficMap map_of(const RenderOutcome& outcome) {
        const auto read = wire::read_traffic_maps(outcome.out);
        EXPECT_TRUE(read && read->size() == 1) << outcome.out << outcome.err;
        return *read->at(0).map;
    }

private:
    std::vector<std::string> paths_;
};

TEST_F(RenderCommand, WritesTheMapOfTheGuide) {
    const RenderOutcome outcome = run_on(service("llama-chat"), "yaml");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out, R"(apiVersion: ome.io/v1beta1
kind: TrafficMap
metadata:
  name: llama-chat
  namespace: llama-demo
  ownerReferences:
  - apiVersion: ome.io/v1beta1
    blockOwnerDeletion: true
    controller: true
    kind: InferenceService
    name: llama-chat
    uid: uid-1
spec:
  entries:
  - capacity:
      allocated: 4
      ready: 4
      source: ControlPlane
    cluster: cluster-a
    endpoint: http://a.example.com
    healthy: true
    weight: 2
  - capacity:
      allocated: 2
      ready: 2
      source: ControlPlane
    cluster: cluster-b
    endpoint: http://b.example.com
    healthy: true
    weight: 1
  mode: Split
  observedISVCGeneration: 7
  service: llama-chat
status:
  conditions:
  - lastTransitionTime: "2026-09-28T10:00:00Z"
    message: 2 home(s) serving
    observedGeneration: 1
    reason: Routable
    status: "True"
    type: Routable
  - lastTransitionTime: "2026-09-28T10:00:00Z"
    message: endpoint capacity polling is disabled
    observedGeneration: 1
    reason: CapacityPollingDisabled
    status: "False"
    type: CapacityFallback
  - lastTransitionTime: "2026-09-28T10:00:00Z"
    message: no traffic-drain annotation override is configured
    observedGeneration: 1
    reason: NoOverrides
    status: "False"
    type: OverrideActive
  sourceUID: uid-1
)");
}

TEST_F(RenderCommand, PrintsTheSameMapAsJson) {
    const std::string text = service("llama-chat");
    EXPECT_EQ(map_of(run_on(text, "json")), map_of(run_on(text, "yaml")));
}

TEST_F(RenderCommand, PrintsSeveralInInputOrder) {
    const RenderOutcome outcome =
        run_on(R"({"kind":"List","items":[)" + service("z") + "," + service("a") + "]}");
    EXPECT_EQ(outcome.exit_code, 0);
    const auto read = wire::read_traffic_maps(outcome.out);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->size(), 2U);
    EXPECT_EQ(read->at(0).key->name, "z");
    EXPECT_EQ(read->at(1).key->name, "a");
}

TEST_F(RenderCommand, LowersWhatAHomeReports) {
    RenderOptions options;
    options.isvc = {file("isvc", service("llama-chat", capacity_block))};
    options.readings = {"-"};
    options.output = "json";
    const RenderOutcome outcome = run(
        options,
        R"({"services":[{"namespace":"llama-demo","name":"llama-chat","homes":[)"
        R"({"cluster":"cluster-a","endpoint":"http://a.example.com","capacity":{"ceiling":1}},)"
        R"({"cluster":"cluster-b","capacity":{"fallbackReason":"capacity endpoint returned HTTP 404"}}]}]})");
    const routing::TrafficMap map = map_of(outcome);
    EXPECT_EQ(map.spec.entries.at(0).weight, 1);
    EXPECT_EQ(map.spec.entries.at(0).capacity.source, routing::CapacitySource::Endpoint);
    EXPECT_EQ(map.spec.entries.at(1).weight, 2);
    EXPECT_EQ(map.spec.entries.at(1).capacity.fallback_reason,
              "capacity endpoint returned HTTP 404");
}

TEST_F(RenderCommand, HasNoReportYetWithoutAReading) {
    const routing::TrafficMap map = map_of(run_on(service("x", capacity_block)));
    EXPECT_EQ(map.spec.entries.at(0).capacity.fallback_reason, "no capacity report yet");
}

TEST_F(RenderCommand, TakesAReadingOfAnotherOwnerForNone) {
    RenderOptions options;
    options.isvc = {file("isvc", service("llama-chat", capacity_block))};
    options.readings = {"-"};
    options.output = "json";
    const RenderOutcome outcome =
        run(options,
            R"({"namespace":"llama-demo","name":"llama-chat","ownerUID":"other","homes":[)"
            R"({"cluster":"cluster-a","capacity":{"ceiling":1}}]})");
    EXPECT_EQ(map_of(outcome).spec.entries.at(0).capacity.fallback_reason,
              "no capacity report yet");
    EXPECT_EQ(outcome.err,
              "warning: llama-demo/llama-chat: the reading of cluster-a is not used: ownerUID is "
              "\"other\", expected \"uid-1\"\n");
    EXPECT_EQ(outcome.exit_code, 0);
}

TEST_F(RenderCommand, SaysWhyAReadingIsNotUsed) {
    RenderOptions options;
    options.isvc = {file("isvc", service("llama-chat", capacity_block))};
    options.readings = {"-"};
    options.output = "json";
    const RenderOutcome outcome = run(
        options,
        R"({"services":[{"namespace":"llama-demo","name":"llama-chat","homes":[)"
        R"({"cluster":"cluster-a","endpoint":"http://u:p@old.example.com","capacity":{"ceiling":1}},)"
        R"({"cluster":"cluster-b","capacity":{"policyDigest":"sha256:x","ceiling":1},)"
        R"("probe":{"result":"Passing"}},)"
        R"({"cluster":"cluster-b","capacity":{"ceiling":1}},)"
        R"({"cluster":"cluster-c","capacity":{"ceiling":1}}]},)"
        R"({"namespace":"team","name":"b","homes":[]},{"namespace":"team","name":"a","homes":[]}]})");
    const routing::TrafficMap map = map_of(outcome);
    EXPECT_FALSE(map.spec.entries.at(0).capacity.reported);
    EXPECT_FALSE(map.spec.entries.at(1).capacity.reported);
    const std::string digest =
        "expected \"sha256:" + outcome.err.substr(outcome.err.find("expected \"sha256:") + 17, 64) +
        "\"\n";
    const std::string on = "warning: llama-demo/llama-chat: ";
    EXPECT_EQ(
        outcome.err,
        "warning: readings are not used of services that --isvc does not name: team/a, "
        "team/b\n" +
            on +
            "the reading of cluster-a is not used: endpoint is "
            "\"http://***@old.example.com\", expected \"http://a.example.com\"\n" +
            on +
            "capacity in the reading of cluster-b is not used: capacity.policyDigest is "
            "\"sha256:x\", " +
            digest + on +
            "probe in the reading of cluster-b is not used: probe is given, expected none: it "
            "is off for the service\n" +
            on +
            "the reading of cluster-b is not used: cluster \"cluster-b\" is there more than "
            "once, the first one counts\n" +
            on +
            "the reading of cluster-c is not used: cluster is \"cluster-c\", expected one of "
            "its homes: \"cluster-a\", \"cluster-b\"\n");
}

TEST_F(RenderCommand, CompletesAManifestAsTheFolderStoreDoes) {
    std::string manifest = service("llama-chat");
    manifest.replace(manifest.find(R"(,"uid":"uid-1","generation":7)"), 29, "");
    RenderOptions options;
    options.isvc = {"-"};
    options.output = "json";
    const routing::TrafficMap first = map_of(run(options, manifest));
    EXPECT_EQ(first.status.source_uid, wire::derived_uid({"llama-demo", "llama-chat"}));
    EXPECT_EQ(first.spec.observed_isvc_generation, 1);

    routing::TrafficMap stored = first;
    stored.spec.observed_isvc_generation = 3;
    stored.meta.generation = 5;
    stored.meta.uid = "map-uid";
    for (routing::Condition& condition : stored.status.conditions) {
        condition.observed_generation = 5;
    }
    options.maps = {file("map", wire::traffic_maps_yaml({&stored, 1}))};
    options.now = "2026-09-28T11:00:00Z";
    const RenderOutcome again = run(options, manifest);
    EXPECT_EQ(map_of(again), stored) << again.err;
}

TEST_F(RenderCommand, TakesTheNamespaceOfAFolderStore) {
    std::string manifest = service("llama-chat");
    manifest.replace(manifest.find(R"("namespace":"llama-demo",)"), 25, "");
    const auto root = std::filesystem::path(testing::TempDir()) / "render_command_store";
    const auto folder = root / "inferenceservices" / "llama-demo";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "llama-chat.json") << manifest;
    RenderOptions options;
    options.isvc = {folder / "llama-chat.json"};
    options.output = "json";
    EXPECT_EQ(map_of(run(options)).meta.key.ns, "llama-demo");
    std::filesystem::remove_all(root);
    EXPECT_EQ(map_of(run_on(manifest)).meta.key.ns, "default");
}

TEST_F(RenderCommand, RefusesAFileOfAnotherKindAndPrintsNothing) {
    const std::string isvc = file("isvc", service("llama-chat"));
    const std::string map = file("map", "kind: TrafficMap\nmetadata: {name: x}\n");
    const std::string config_map = file("cm", "kind: ConfigMap\ndata: {}\n");
    const std::string readings = file("readings", R"({"services":[]})");
    const auto refused = [](const RenderOptions& options, int code, const std::string& message) {
        const RenderOutcome outcome = run(options);
        EXPECT_EQ(outcome.exit_code, code);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err, "error: " + message + "\n");
    };
    RenderOptions options;
    options.isvc = {map};
    refused(options,
            1,
            "--isvc " + map +
                ": this is a TrafficMap, expected an InferenceService or a List of "
                "them");
    options.isvc = {isvc};
    options.readings = {isvc};
    refused(options,
            1,
            "--readings " + isvc +
                ": this is an InferenceService, expected what GET /v1/services of ome-observer "
                "answers, in JSON");
    options.readings.clear();
    options.maps = {config_map};
    refused(
        options,
        1,
        "--map " + config_map + ": this is a ConfigMap, expected a TrafficMap or a List of them");
    options.maps.clear();
    options.config = readings;
    refused(options,
            78,
            "--config " + readings +
                ": this is a list of services (`services`), expected a multicluster configuration "
                "(`routing`) or the ConfigMap that holds it");
}

TEST_F(RenderCommand, TakesAListOfNoMaps) {
    RenderOptions options;
    options.isvc = {file("isvc", service("llama-chat"))};
    options.maps = {file("map", R"({"apiVersion":"v1","kind":"List","items":[]})")};
    options.output = "json";
    EXPECT_EQ(run(options).err, "");
    EXPECT_EQ(map_of(run(options)).meta.key.name, "llama-chat");
}

TEST_F(RenderCommand, ReadsStandardInputOnce) {
    RenderOptions options;
    options.isvc = {"-"};
    options.maps = {"-"};
    const RenderOutcome outcome = run(options, service("llama-chat"));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "error: standard input can be read once, it is given to --isvc and --map\n");
    options.maps.clear();
    options.config = "-";
    EXPECT_EQ(run(options).exit_code, 2);
}

TEST_F(RenderCommand, PrintsNothingWhenAFileCannotBeUsed) {
    const std::string broken = file("broken", "{\"services\":\n[}");
    RenderOptions options;
    options.isvc = {file("isvc", service("llama-chat"))};
    options.readings = {broken, "/nonexistent/readings"};
    options.maps = {"/nonexistent/map", testing::TempDir()};
    const RenderOutcome outcome = run(options);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "error: --readings /nonexistent/readings: No such file or directory\n"
              "error: --map /nonexistent/map: No such file or directory\n"
              "error: --map " +
                  testing::TempDir() + ": is a folder, expected a file\n" + "error: --readings " +
                  broken +
                  ": the answer is not JSON: line 2, column 2: \"}\" is not what JSON has here: "
                  "expected a value, or `]`\n");
}

TEST_F(RenderCommand, PrintsNothingOfAFileInWhichThereIsNoObject) {
    const std::string text = file("text", "root:x:0:0\n---\n7\n");
    const std::string isvc = file("isvc", service("llama-chat"));
    for (const char* output : {"yaml", "json", "table"}) {
        RenderOptions options;
        options.output = output;
        options.isvc = {isvc, text};
        const RenderOutcome services = run(options);
        EXPECT_EQ(services.exit_code, 1);
        EXPECT_EQ(services.out, "");
        EXPECT_EQ(
            services.err,
            fmt::format("error: --isvc {0}: document 1: line 1: \"root:x:0:0\" must be an "
                        "object\nerror: --isvc {0}: document 2: line 3: 7 must be an object\n",
                        text));
        options.isvc = {isvc};
        options.maps = {text};
        const RenderOutcome maps = run(options);
        EXPECT_EQ(maps.exit_code, 1);
        EXPECT_EQ(maps.out, "");
        EXPECT_TRUE(maps.err.starts_with("error: --map " + text + ": document 1: ")) << maps.err;
    }
}

TEST_F(RenderCommand, ExplainsAFrozenMapByWhatItHolds) {
    RenderOptions options;
    options.isvc = {"-"};
    options.output = "table";
    options.explain = true;
    options.maps = {file("map", run_on(service("llama-chat")).out)};
    const RenderOutcome outcome =
        run(options, service("llama-chat", "", R"(,"annotations":{"ome.io/traffic-drain":"[]"})"));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.out.find("llama-demo/llama-chat: frozen because parse ome.io/traffic-drain: "
                               "top-level value must be a JSON object keyed by override ID\n"
                               "  Routable: 2 home(s) serving\n"
                               "  cluster-a 2: in force as stored: allocated 4, ready 4\n"),
              std::string::npos)
        << outcome.out;
}

TEST_F(RenderCommand, GatesByAReadingAndKeepsTheGateOfTheMap) {
    const std::string isvc = file("isvc", service("llama-chat", probe_block));
    RenderOptions options;
    options.isvc = {isvc};
    options.readings = {"-"};
    options.output = "json";
    const RenderOutcome first = run(
        options,
        R"({"namespace":"llama-demo","name":"llama-chat","homes":[{"cluster":"cluster-b",)"
        R"("probe":{"result":"Failing","message":"HTTP 503","gated":true,"consecutiveFailures":3,)"
        R"("lastProbeTime":"2026-09-28T09:59:58.5Z"}}]})");
    const routing::TrafficMap gated = map_of(first);
    EXPECT_EQ(gated.spec.entries.at(1).weight, 0);
    EXPECT_FALSE(gated.spec.entries.at(1).healthy);

    options.readings.clear();
    options.maps = {file("map", first.out)};
    EXPECT_EQ(map_of(run(options)).spec, gated.spec);
    options.maps.clear();
    EXPECT_EQ(map_of(run(options)).spec.entries.at(1).weight, 1);
}

TEST_F(RenderCommand, BumpsTheGenerationOnlyWhenTheSpecDiffers) {
    routing::TrafficMap stored = map_of(run_on(service("llama-chat")));
    stored.meta.uid = "map-uid";
    stored.meta.generation = 4;
    stored.status.published = true;
    stored.status.conditions.push_back({.type = "Published",
                                        .status = "True",
                                        .reason = "Published",
                                        .message = "m",
                                        .last_transition_time = {},
                                        .observed_generation = 4});
    RenderOptions options;
    options.isvc = {"-"};
    options.maps = {file("map", wire::traffic_maps_yaml({&stored, 1}))};
    options.output = "json";
    options.now = "2026-09-28T11:00:00Z";

    const routing::TrafficMap same = map_of(run(options, service("llama-chat")));
    EXPECT_EQ(same.meta.generation, 4);
    EXPECT_EQ(same.status.published, true);
    EXPECT_EQ(same.status.conditions.at(3), stored.status.conditions.at(3));
    EXPECT_EQ(same.status.conditions.at(0).last_transition_time, *core::parse_timestamp(now_text));
    EXPECT_EQ(same.status.conditions.at(0).observed_generation, 4);

    const routing::TrafficMap drained = map_of(run(
        options,
        service(
            "llama-chat",
            "",
            R"(,"annotations":{"ome.io/traffic-drain":"{\"m\":{\"cluster\":\"cluster-a\",\"reason\":\"r\"}}"})")));
    EXPECT_EQ(drained.meta.generation, 5);
    EXPECT_EQ(drained.meta.uid, "map-uid");
    EXPECT_EQ(drained.spec.entries.at(0).weight, 0);
    EXPECT_EQ(drained.status.conditions.at(2).last_transition_time,
              *core::parse_timestamp(options.now));
}

TEST_F(RenderCommand, SaysWhyAServiceGetsNoMapAndPrintsTheOthers) {
    const std::string annotated =
        service("obsolete", "", R"(,"annotations":{"ome.io/cluster-selector":"x"})");
    const std::string factor =
        service("factor", R"(,"routing":{"capacityFactors":{"cluster-a":"0"}})");
    const std::string drain = service("drain", "", R"(,"annotations":{"ome.io/traffic-drain":""})");
    const std::string off = service("off", R"(,"routing":{"enabled":false})");
    const std::string copy = service("copy", "", R"(,"labels":{"ome.io/placement-origin":"p"})");
    const std::string deleting =
        service("going", "", R"(,"deletionTimestamp":"2026-09-28T10:00:00Z")");
    const RenderOutcome outcome =
        run_on(R"({"kind":"List","items":[)" + annotated + "," + factor + "," + drain + "," + off +
               "," + copy + "," + deleting + "," + service("good") + "]}");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(map_of(outcome).meta.key.name, "good");
    EXPECT_EQ(outcome.err,
              "error: llama-demo/obsolete: validate placement intent: annotation "
              "ome.io/cluster-selector is unsupported; declare spec.placement.mode and migrate "
              "restrictions to clusterAffinity\n"
              "error: llama-demo/factor: validate routing policy: "
              "spec.routing.capacityFactors[\"cluster-a\"] must be positive, got \"0\"\n"
              "error: llama-demo/drain: parse ome.io/traffic-drain: decode top-level object: EOF\n"
              "error: llama-demo/off is not routed: spec.routing.enabled is false\n"
              "error: llama-demo/copy is not routed: it is a copy that placement made of another "
              "one\n"
              "error: llama-demo/going is not routed: it is being deleted\n");
}

TEST_F(RenderCommand, NeverWritesAForeignMap) {
    routing::TrafficMap foreign = map_of(run_on(service("llama-chat")));
    foreign.meta.owner_references.at(0).uid = "other";
    RenderOptions options;
    options.isvc = {"-"};
    options.maps = {file("map", wire::traffic_maps_json({&foreign, 1}))};
    const RenderOutcome outcome = run(options, service("llama-chat"));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err,
              "error: llama-demo/llama-chat: TrafficMap llama-demo/llama-chat exists but is not "
              "controlled by InferenceService UID \"uid-1\"\n");
}

TEST_F(RenderCommand, NamesWhatCannotBeRead) {
    const RenderOutcome outcome = run_on(
        "kind: InferenceService\nmetadata: {name: x}\n"
        "spec: {placement: 5}\n---\nkind: Secret\n");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err,
              "warning: <stdin>: document 2: Secret is ignored\n"
              "error: <stdin>: document 1 (default/x): line 3: spec.placement: 5 must be an "
              "object\n");
    EXPECT_EQ(run_on("kind: Secret\n").err,
              "error: --isvc <stdin>: this is a Secret, expected an InferenceService or a List of "
              "them\n");
    RenderOptions options;
    options.isvc = {"/nonexistent/file"};
    EXPECT_EQ(run(options).exit_code, 1);
    EXPECT_EQ(run(options).err, "error: --isvc /nonexistent/file: No such file or directory\n");
}

TEST_F(RenderCommand, WarnsOfMembersThatNobodyReads) {
    const RenderOutcome outcome = run_on(
        "kind: InferenceService\nmetadata: {name: x}\nspec:\n"
        "  placement: {policy: ClusterAffinity, mode: Split, modus: All}\n"
        "  routing: {prob: {}}\n");
    EXPECT_EQ(outcome.exit_code, 0) << "it is no error";
    EXPECT_EQ(outcome.err,
              "warning: <stdin>: document 1 (default/x): line 5: spec.routing.prob is not known "
              "and is ignored; did you mean probe?\n"
              "warning: <stdin>: document 1 (default/x): line 4: spec.placement.modus is not known "
              "and is ignored\n");
}

TEST_F(RenderCommand, TellsOfAnAdmittedClusterThatIsNoHome) {
    std::string text = service("llama-chat");
    text.replace(text.find("http://b.example.com"), 20, "b.example.com:443");
    const std::string sentence =
        "status.placement.candidates[0].endpoint: endpoint URL \"b.example.com:443\" must be "
        "absolute: http:// or https:// is missing in front (as in https://llm.example.com): "
        "cluster "
        "\"cluster-b\" is no home and gets no traffic\n";
    EXPECT_EQ(run_on(text).err, "warning: llama-demo/llama-chat: " + sentence);
    RenderOptions options;
    options.isvc = {"-"};
    options.explain = true;
    EXPECT_NE(run(options, text).err.find("  note: " + sentence), std::string::npos);
}

TEST_F(RenderCommand, ExplainsAServiceThatCannotBeUsedByItsStoredMap) {
    const routing::TrafficMap stored = map_of(run_on(service("llama-chat")));
    std::string text = service("llama-chat");
    text.replace(text.find("\"Placed\""), 8, "7");
    RenderOptions options;
    options.isvc = {"-"};
    options.maps = {file("map", wire::traffic_maps_json({&stored, 1}))};
    options.explain = true;
    const RenderOutcome outcome = run(options, text);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("llama-demo/llama-chat: frozen because its manifest cannot be used, "
                               "so the last good state stays in force: line 1: "
                               "status.placement.phase: 7 must be a text\n"
                               "  Routable: 2 home(s) serving\n"
                               "  cluster-a 2: in force as stored: "),
              std::string::npos)
        << outcome.err;
}

TEST_F(RenderCommand, DoesNotTakeAnUnreadableMapForNone) {
    RenderOptions options;
    options.isvc = {"-"};
    options.maps = {file("map",
                         R"({"kind":"TrafficMap","metadata":{"name":"llama-chat",)"
                         R"("namespace":"llama-demo"},"spec":5})")};
    const RenderOutcome outcome = run(options, service("llama-chat"));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("error: llama-demo/llama-chat: its stored map cannot be read\n"),
              std::string::npos)
        << outcome.err;
}

TEST_F(RenderCommand, RefusesAConfigurationThatIsInvalid) {
    RenderOptions options;
    options.isvc = {"-"};
    options.config = file("config", "routing: {enabled: true, probe: {path: x}}\n");
    const RenderOutcome outcome = run(options, service("llama-chat"));
    EXPECT_EQ(outcome.exit_code, 78);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("error: --config " + options.config +
                                        ": invalid multi-cluster configuration: "))
        << outcome.err;
}

TEST_F(RenderCommand, UsesTheConfiguration) {
    RenderOptions options;
    options.isvc = {"-"};
    options.config = file("config", "routing: {enabled: false}\n");
    EXPECT_EQ(run(options, service("x")).err,
              "error: llama-demo/x is not routed: routing.enabled of the configuration is not "
              "true\n");
}

TEST_F(RenderCommand, ChecksTheTime) {
    RenderOptions options;
    options.isvc = {"-"};
    options.now = "noon";
    const RenderOutcome outcome = run(options, service("x"));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err,
              "error: --now \"noon\" must be an RFC 3339 time with a zone, such as "
              "2026-09-28T10:00:00Z\n");
}

TEST_F(RenderCommand, PrintsATableThatLinesUp) {
    RenderOptions options;
    options.isvc = {"-"};
    options.output = "table";
    options.explain = true;
    const RenderOutcome outcome = run(options, service("llama-chat", capacity_block));
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(outcome.out.starts_with(
        "SERVICE                CLUSTER    WEIGHT  SHARE  READY  ALLOCATED  CEILING  GATE  REASON\n"
        "llama-demo/llama-chat  cluster-a  2       66.7%  4      4          -        -     no "
        "capacity report yet\n"
        "llama-demo/llama-chat  cluster-b  1       33.3%  2      2          -        -     no "
        "capacity report yet\n"
        "\n"
        "llama-demo/llama-chat: Routable: 2 home(s) serving\n"
        "  cluster-a 2: admitted 4, ready 4"))
        << outcome.out;
}

TEST_F(RenderCommand, ExplainsBesidesADocument) {
    RenderOptions options;
    options.isvc = {"-"};
    options.explain = true;
    options.output = "json";
    const RenderOutcome outcome = run(options, service("llama-chat"));
    EXPECT_EQ(map_of(outcome).meta.key.name, "llama-chat");
    EXPECT_TRUE(outcome.err.starts_with("llama-demo/llama-chat: ")) << outcome.err;
}

}  // namespace
}  // namespace ome::controller
