#include <ome/wire/inference_service_document.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ome::wire {
namespace {

// The sample of contract/trafficmap.md 1.2, with what is not ours among it.
constexpr std::string_view sample = R"(apiVersion: ome.io/v1beta1
kind: InferenceService
metadata:
  name: llama-chat
  namespace: llama-demo
  uid: 0f8e2c1a-5b7d-4e39-9c61-2d4a8b3f7e10
  generation: 7
  resourceVersion: "4711"
  annotations:
    ome.io/traffic-drain: '{"maintenance-a":{"cluster":"cluster-a","reason":"planned"}}'
  finalizers: [ome.io/placement]
spec:
  engine: {minReplicas: 6, maxReplicas: 8}
  placement:
    policy: ClusterAffinity
    mode: Split
    clusterAffinity:
      - matchFields:
          - {key: metadata.name, operator: In, values: [cluster-a, cluster-b]}
    split: {replicas: 6}
    replacementTimeout: 5m
  routing:
    capacityFactors: {cluster-b: "1.5", cluster-c: 2}
    probe: {path: /v1/models, method: GET, acceptStatuses: [200], period: 10s}
status:
  placement:
    phase: Placed
    plan:
      id: plan-7f3c
      mode: Single
      revision: 3
      winner: cluster-a
      singleMove: {selected: cluster-b}
    candidates:
      - cluster: cluster-a
        phase: Admitted
        endpoint: http://user:secret@A.example.com/x?y#z
        admittedReplicas: 4
        readyReplicas: 3
        observationKnown: true
        allocation: {currentReplicas: 4, desiredReplicas: 1, currentHome: {inputDigest: d},
                     drainRequested: true}
      - cluster: cluster-b
        phase: Placed
)";

routing::InferenceService read_one(std::string_view text) {
    const auto read = read_inference_services(text);
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->services.size(), 1U);
    EXPECT_TRUE(read->services.front().service) << read->services.front().service.error().message;
    return *read->services.front().service;
}

// The message of the only service in the text.
std::string problem(std::string_view text) {
    const auto read = read_inference_services(text);
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->services.size(), 1U);
    const auto& service = read->services.front().service;
    return service ? "none" : service.error().message;
}

std::string with_candidate(std::string_view members) {
    return R"({"kind":"InferenceService","metadata":{"name":"x"},"status":{"placement":{"candidates":[{)" +
           std::string(members) + "}]}}}";
}

TEST(InferenceServiceDocument, ReadsWhatRoutingNeeds) {
    const routing::InferenceService service = read_one(sample);
    EXPECT_EQ(service.key, (core::ServiceKey{"llama-demo", "llama-chat"}));
    EXPECT_EQ(service.uid, "0f8e2c1a-5b7d-4e39-9c61-2d4a8b3f7e10");
    EXPECT_EQ(service.generation, 7);
    EXPECT_EQ(service.resource_version, "4711");
    EXPECT_FALSE(service.deleting);
    EXPECT_FALSE(service.derived_copy);
    EXPECT_FALSE(service.has_accelerator_requirements);
    EXPECT_FALSE(service.has_cluster_selector);
    EXPECT_EQ(service.drains, R"({"maintenance-a":{"cluster":"cluster-a","reason":"planned"}})");
}

TEST(InferenceServiceDocument, ReadsTheSpec) {
    const routing::InferenceService service = read_one(sample);
    ASSERT_TRUE(service.placement);
    EXPECT_EQ(service.placement->policy, "ClusterAffinity");
    EXPECT_EQ(service.placement->mode, "Split");
    ASSERT_TRUE(service.placement->split);
    EXPECT_EQ(service.placement->split->replicas, 6);
    EXPECT_FALSE(service.placement->split->max_replicas_per_cluster);
    EXPECT_EQ(service.placement->replacement_timeout, "5m");
    ASSERT_TRUE(service.routing);
    EXPECT_FALSE(service.routing->enabled);
    EXPECT_EQ(service.routing->capacity_factors,
              (core::Options{{"cluster-b", "1.5"}, {"cluster-c", "2"}}));
    ASSERT_TRUE(service.routing->probe);
    EXPECT_EQ(service.routing->probe->path, "/v1/models");
    EXPECT_FALSE(service.routing->probe->timeout);
    EXPECT_FALSE(service.routing->capacity);
}

TEST(InferenceServiceDocument, ReadsTheStatus) {
    const routing::InferenceService service = read_one(sample);
    ASSERT_TRUE(service.status);
    EXPECT_EQ(service.status->phase, "Placed");
    ASSERT_TRUE(service.status->plan);
    EXPECT_EQ(service.status->plan->id, "plan-7f3c");
    EXPECT_EQ(service.status->plan->revision, 3);
    EXPECT_EQ(service.status->plan->winner, "cluster-a");
    EXPECT_EQ(service.status->plan->move_selected, "cluster-b");
    ASSERT_EQ(service.status->candidates.size(), 2U);
    const routing::Candidate& a = service.status->candidates[0];
    EXPECT_EQ(a.endpoint, "http://user:secret@A.example.com/x?y#z");  // verbatim
    EXPECT_EQ(a.admitted_replicas, 4);
    EXPECT_EQ(a.ready_replicas, 3);
    ASSERT_TRUE(a.allocation);
    EXPECT_EQ(a.allocation->desired_replicas, 1);
    EXPECT_TRUE(a.allocation->current_home);
    EXPECT_FALSE(a.allocation->desired_home);
    EXPECT_TRUE(a.allocation->drain_requested);
    EXPECT_EQ(service.status->candidates[1].admitted_replicas, 0);
    EXPECT_FALSE(service.status->candidates[1].allocation);
}

TEST(InferenceServiceDocument, KnowsCopiesDeletionsAndObsoleteAnnotations) {
    const auto with_meta = [](const std::string& meta) {
        return read_one(R"({"kind":"InferenceService","metadata":{"name":"x",)" + meta + "}}");
    };
    EXPECT_TRUE(with_meta(R"("labels":{"ome.io/placement-origin":"p"})").derived_copy);
    EXPECT_FALSE(with_meta(R"("labels":{"ome.io/placement-origin":""})").derived_copy);
    EXPECT_TRUE(with_meta(R"("annotations":{"ome.io/placement-origin-uid":"u"})").derived_copy);
    EXPECT_TRUE(with_meta(R"("deletionTimestamp":"2026-09-28T10:00:00Z")").deleting);
    EXPECT_FALSE(with_meta(R"("deletionTimestamp":null)").deleting);
    EXPECT_TRUE(with_meta(R"("annotations":{"ome.io/accelerator-requirements":""})")
                    .has_accelerator_requirements);
    EXPECT_TRUE(with_meta(R"("annotations":{"ome.io/cluster-selector":"a"})").has_cluster_selector);
    EXPECT_EQ(with_meta(R"("annotations":{"ome.io/traffic-drain":""})").drains, "");
    EXPECT_EQ(with_meta(R"("annotations":{})").drains, std::nullopt);
}

TEST(InferenceServiceDocument, TakesNamesExactly) {
    const auto service = read_one(
        R"({"kind":"InferenceService","metadata":{"name":"x","UID":"u"},"Spec":{"placement":{}}})");
    EXPECT_EQ(service.uid, "");
    EXPECT_FALSE(service.placement);
}

TEST(InferenceServiceDocument, ReadsSeveralDocumentsAndLists) {
    const std::string one = R"({"kind":"InferenceService","metadata":{"name":"a"}})";
    const std::string untyped = R"({"metadata":{"name":"b","namespace":"team"}})";
    for (const std::string& text : {
             R"({"kind":"List","items":[)" + one + R"(,{"kind":"Secret"}]})",
             R"({"apiVersion":"ome.io/v1beta1","kind":"InferenceServiceList","items":[)" + one +
                 R"(,{"kind":"Secret"}]})",
             std::string("kind: InferenceService\nmetadata: {name: a}\n---\nkind: Secret\n"),
         }) {
        const auto read = read_inference_services(text);
        ASSERT_TRUE(read) << read.error().message;
        ASSERT_EQ(read->services.size(), 1U) << text;
        EXPECT_EQ(read->services[0].key, (core::ServiceKey{"default", "a"}));
        ASSERT_EQ(read->others.size(), 1U);
        EXPECT_EQ(read->others[0].index, 1U);
        EXPECT_EQ(read->others[0].kind, "Secret");
    }
    const auto items =
        read_inference_services(R"({"kind":"InferenceServiceList","items":[)" + untyped + "]}");
    ASSERT_TRUE(items);
    ASSERT_EQ(items->services.size(), 1U);
    EXPECT_EQ(items->services[0].key, (core::ServiceKey{"team", "b"}));
}

TEST(InferenceServiceDocument, LeavesOtherVersionsAlone) {
    const auto read = read_inference_services(
        "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\n");
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->services.empty());
    ASSERT_EQ(read->others.size(), 1U);
    EXPECT_EQ(read->others[0].kind, "serving.kserve.io/v1beta1/InferenceService");
}

TEST(InferenceServiceDocument, OneThatCannotBeReadHarmsNoOther) {
    const auto read = read_inference_services(
        "kind: InferenceService\nmetadata: {name: a}\nspec: {placement: 5}\n---\n"
        "kind: InferenceService\nmetadata: {name: b}\n---\n7\n");
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->services.size(), 3U);
    ASSERT_FALSE(read->services[0].service);
    EXPECT_EQ(read->services[0].key, (core::ServiceKey{"default", "a"}));
    EXPECT_EQ(read->services[0].service.error(),
              (core::Problem{"line 3: spec.placement: 5 must be an object", "spec.placement"}));
    EXPECT_TRUE(read->services[1].service);
    EXPECT_EQ(read->services[1].line, 5U);
    ASSERT_FALSE(read->services[2].service);
    EXPECT_EQ(read->services[2].service.error().message, "line 8: 7 must be an object");
}

TEST(InferenceServiceDocument, NamesLineFieldValueAndRule) {
    EXPECT_EQ(problem(with_candidate(R"("admittedReplicas":2147483648)")),
              "line 1: status.placement.candidates[0].admittedReplicas: 2147483648 must be an "
              "integer from -2147483648 to 2147483647");
    EXPECT_EQ(problem(with_candidate("\n\"readyReplicas\":\"4\"")),
              "line 2: status.placement.candidates[0].readyReplicas: \"4\" must be an integer from "
              "-2147483648 to 2147483647");
    EXPECT_EQ(problem(with_candidate(R"("admittedReplicas":2147483647)")), "none");
    EXPECT_EQ(problem(with_candidate(R"("endpoint":null,"admittedReplicas":null)")), "none");
    EXPECT_EQ(problem(with_candidate(R"("allocation":{"drainRequested":"yes"})")),
              "line 1: status.placement.candidates[0].allocation.drainRequested: \"yes\" must be "
              "true or false");
    EXPECT_EQ(problem(with_candidate(R"("phase":"a","phase":"b")")),
              "line 1: status.placement.candidates[0].phase is given twice");
    EXPECT_EQ(problem(R"({"kind":"InferenceService"})"), "line 1: metadata is required");
    EXPECT_EQ(problem(R"({"kind":"InferenceService","metadata":{}})"),
              "line 1: metadata.name is required");
    EXPECT_EQ(problem(R"({"kind":"InferenceService","metadata":{"name":"A b"}})"),
              "line 1: metadata.name \"A b\" must be a DNS-1123 subdomain: at most 253 of a-z, "
              "0-9, - and ., each part with a letter or digit at both ends");
}

TEST(InferenceServiceDocument, RefusesAClusterNamedTwice) {
    EXPECT_EQ(problem(with_candidate(R"("cluster":"a"},{"cluster":"b"},{"cluster":"a")")),
              "line 1: status.placement.candidates name the cluster \"a\" twice");
}

TEST(InferenceServiceDocument, ListsEveryProblemOfAService) {
    const std::string message = problem(with_candidate(R"("cluster":1,"phase":2,"endpoint":3)"));
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2);
}

TEST(InferenceServiceDocument, RefusesTextsThatCannotBeReadAtAll) {
    EXPECT_FALSE(read_inference_services("{\"kind\":"));
    EXPECT_FALSE(read_inference_services("a: [\n"));
    const auto bytes = read_inference_services("kind: \xff\n");
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().message, "the text is not UTF-8");
    const auto twice = read_inference_services(R"({"kind":"List","items":[],"items":[]})");
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().message, "items is given twice");
}

TEST(InferenceServiceDocument, LimitsAnObject) {
    const std::string huge = R"({"kind":"InferenceService","metadata":{"name":"x"},"pad":")" +
                             std::string(largest_manifest, 'x') + "\"}";
    const auto read = read_inference_services(huge);
    ASSERT_FALSE(read);
    EXPECT_TRUE(read.error().message.ends_with(", it may have 1048576 (1 MiB)"))
        << read.error().message;
    const auto list = read_inference_services(R"({"kind":"List","items":[)" + huge + "]}");
    ASSERT_TRUE(list);
    ASSERT_EQ(list->services.size(), 1U);
}

TEST(InferenceServiceDocument, ReadsAParsedObjectWithoutAName) {
    const auto service = read_inference_service(
        boost::json::parse(R"({"spec":{"placement":{"mode":"All"}},"metadata":{"uid":"u"}})"));
    ASSERT_TRUE(service) << service.error().message;
    EXPECT_EQ(service->uid, "u");
    EXPECT_EQ(service->placement->mode, "All");
    const auto wrong = read_inference_service(boost::json::parse(R"({"metadata":{"uid":1}})"));
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error(), (core::Problem{"metadata.uid: 1 must be a text", "metadata.uid"}));
}

TEST(InferenceServiceDocument, TakesTheGivenNamespaceOnlyWhereNoneIsNamed) {
    const auto read = read_inference_services(
        "kind: InferenceService\nmetadata: {name: a}\n---\n"
        "kind: InferenceService\nmetadata: {name: b, namespace: default}\n",
        "team");
    ASSERT_TRUE(read);
    ASSERT_EQ(read->services.size(), 2U);
    EXPECT_EQ(read->services[0].key->ns, "team");
    EXPECT_EQ(read->services[0].service->key.ns, "team");
    EXPECT_EQ(read->services[1].key->ns, "default");
}

}  // namespace
}  // namespace ome::wire
