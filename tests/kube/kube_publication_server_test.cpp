// The publisher on a real API server with the types of the Gateway API: what it makes, what it
// leaves alone, and in which order it goes.
#include "integration/scratch.hpp"
#include "kube/gateway_api.hpp"
#include "kube/kube_publishing.hpp"
#include "support/run.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

std::string version_of(const json::value& object) {
    return std::string(object.at_pointer("/metadata/resourceVersion").as_string());
}

json::value member(const json::value& of, std::string_view pointer) {
    boost::system::error_code error;
    const json::value* found = of.find_pointer(pointer, error);
    return found == nullptr ? json::value() : *found;
}

class KubePublicationTest : public KubePublishingTest {
protected:
    /// A service with one home and a hostname of its own choice.
    void put_service_named(const std::string& name, const std::string& hostname) {
        apply(fmt::format(R"(apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: {{name: {}, namespace: {}, annotations: {{ome.io/global-host: {}}}}}
spec: {{placement: {{policy: ClusterAffinity, mode: All}}}}
)",
                          name,
                          ns,
                          hostname));
        const CommandResult patched = kube_servers().kubectl(
            {"patch",
             "inferenceservice/" + name,
             "-n",
             ns,
             "--subresource=status",
             "--type=merge",
             "-p",
             R"({"status":{"placement":{"phase":"Placed","candidates":[{"cluster":"worker-a",
                 "phase":"Admitted","endpoint":"http://a.example.com","admittedReplicas":1,
                 "readyReplicas":1}]}}})"});
        ASSERT_EQ(patched.exit_code, 0) << patched.output;
    }

    std::string published_of(const std::string& name) {
        const json::value conditions =
            member(get(object_path(kube::traffic_maps, ns, name)), "/status/conditions");
        for (std::size_t i = 0; conditions.is_array() && i < conditions.get_array().size(); ++i) {
            const json::value& one = conditions.get_array()[i];
            if (one.at("type") == "Published") {
                return fmt::format("{} {}",
                                   one.at("status").as_string().c_str(),
                                   one.at("reason").as_string().c_str());
            }
        }
        return "";
    }

    /// How often it was told, in all Events of this reason.
    std::size_t list_events(const std::string& reason) {
        const json::value events = get(collection_path(kube::events, ns));
        std::size_t count = 0;
        for (const json::value& event : events.at("items").as_array()) {
            if (event.at("reason").as_string() == json::string_view(reason)) {
                count += event.at("count").to_number<std::size_t>();
            }
        }
        return count;
    }
};

TEST_F(KubePublicationTest, AServiceGetsItsRouteAndNothingIsWrittenWhileNothingChanges) {
    gateway.rewrite_hostname = true;
    gateway.tls_enabled = true;
    gateway.well_known_ca_certificates = "System";
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    EXPECT_EQ(weights(), "1 1");
    EXPECT_EQ(list("services").size(), 2U);
    EXPECT_EQ(list("backendtlspolicies").size(), 2U);
    const json::value stored = map();
    EXPECT_EQ(stored.at_pointer("/status/gatewayRef/name"), "chat-global");
    EXPECT_EQ(stored.at_pointer("/status/published"), true);
    EXPECT_EQ(stored.at_pointer("/metadata/finalizers"),
              json::parse(R"(["ome.io/trafficmap-publisher"])"));
    EXPECT_EQ(stored.at_pointer("/status/conditions").as_array().size(), 5U)
        << "those of the routing controller are there besides";
    EXPECT_THAT(json::serialize(route().at_pointer("/metadata/managedFields")),
                HasSubstr(R"("manager":"ome-trafficmap-publisher")"));
    settle();

    const auto versions = [this] {
        std::set<std::string> all{version_of(map()), version_of(route())};
        for (const char* plural : {"services", "backendtlspolicies"}) {
            for (const json::value& object : list(plural)) {
                all.insert(version_of(object));
            }
        }
        return all;
    };
    const auto before = versions();
    writes = 0;
    advance(61s);
    advance(61s);
    EXPECT_EQ(writes, 0U);
    end();
    start();
    settle();
    EXPECT_EQ(writes, 0U) << "nor by the next process";
    EXPECT_EQ(versions(), before);
}

TEST_F(KubePublicationTest, WhatOthersPutOnARouteStaysWhileItsWeightsChange) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    patch("httproute/chat-global",
          R"({"metadata":{"annotations":{"example.com/x":"kept"},"labels":{"team":"a"},
              "finalizers":["example.com/hold"]}})");
    const json::value services = list("services").at(0).at("metadata").at("name");
    patch(fmt::format("service/{}", services.as_string().c_str()),
          R"({"metadata":{"annotations":{"example.com/y":"kept"}}})");
    put_service(2, 1);
    ASSERT_TRUE(until([this] { return weights() == "2 1"; }));
    settle();
    EXPECT_EQ(published(), "True Published");
    const json::value stored = route();
    EXPECT_EQ(stored.at_pointer("/metadata/annotations/example.com~1x"), "kept");
    EXPECT_EQ(stored.at_pointer("/metadata/labels/team"), "a");
    EXPECT_EQ(stored.at_pointer("/metadata/finalizers"), json::parse(R"(["example.com/hold"])"));
    const auto services_now = list("services");
    EXPECT_THAT(json::serialize(json::array(services_now.begin(), services_now.end())),
                HasSubstr("example.com/y"));
    patch("httproute/chat-global", R"({"metadata":{"finalizers":null}})");
}

TEST_F(KubePublicationTest, AForeignAnnotationSurvivesTenChangesOfTheWeights) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    const json::value service = list("services").at(0).at("metadata").at("name");
    const std::string mark = R"({"metadata":{"annotations":{"example.com/x":"kept"}}})";
    patch("httproute/chat-global", mark);
    patch(fmt::format("service/{}", service.as_string().c_str()), mark);
    for (int i = 0; i < 10; ++i) {
        const int ready_b = i % 2 == 0 ? 1 : 2;
        put_service(2, ready_b);
        const std::string expected = ready_b == 1 ? "2 1" : "1 1";
        ASSERT_TRUE(until([&] { return weights() == expected; })) << i;
        EXPECT_EQ(member(route(), "/metadata/annotations/example.com~1x"), "kept") << i;
    }
    settle();
    EXPECT_EQ(published(), "True Published");
    const json::value stored = get(path_of("services", service.as_string().c_str()));
    EXPECT_EQ(member(stored, "/metadata/annotations/example.com~1x"), "kept");
}

// Every edit is undone in one write, until it is a fight: then after a pause that grows, and it is
// told once.
TEST_F(KubePublicationTest, AFightOverARouteCostsTwoWritesAnEditAtMostAndEndsInAPause) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    settle();
    const auto edit = [this] {
        patch("httproute/chat-global", R"({"spec":{"hostnames":["elsewhere.example.com"]}})");
        writes = 0;
        settle();
        return writes;
    };
    const auto is_ours = [this] {
        return route().at_pointer("/spec/hostnames/0") ==
               json::value(fmt::format("chat.{}.global.example.com", ns));
    };
    const auto told = [this] { return list_events("PublicationContested"); };
    for (int i = 0; i < 2; ++i) {
        const std::size_t written = edit();
        EXPECT_GE(written, 1U);
        EXPECT_LE(written, 2U);
        EXPECT_TRUE(is_ours());
    }
    EXPECT_EQ(told(), 0U);
    EXPECT_EQ(edit(), 0U) << "now it is a fight";
    EXPECT_FALSE(is_ours());
    EXPECT_TRUE(until([&] { return told() == 1; }));
    EXPECT_EQ(published(), "True Published");
    advance(2s);
    EXPECT_TRUE(is_ours());
    EXPECT_EQ(edit(), 0U);
    advance(1s);
    EXPECT_FALSE(is_ours()) << "the next pause is longer";
    advance(2s);
    EXPECT_TRUE(is_ours());
    EXPECT_EQ(told(), 1U) << "and nobody is told again and again";
    EXPECT_EQ(edit(), 0U);
    put_service(2, 1);
    EXPECT_TRUE(until([this] { return weights() == "2 1"; }))
        << "a change of the map waits for no pause";
    EXPECT_TRUE(is_ours());
}

// An annotation after the other, as fast as the server takes them, while the weights change.
TEST_F(KubePublicationTest, NothingOfAConcurrentWriterIsLost) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    constexpr int most = 200;
    int refused = 0;
    std::thread other([&refused, path = path_of("httproutes", "chat-global")] {
        net::asio::io_context io{1};
        kube::Client client(io, kube_servers().access());
        for (int i = 0; i < most; ++i) {
            const std::string merge =
                fmt::format(R"({{"metadata":{{"annotations":{{"example.com/n-{}":"x"}}}}}})", i);
            refused += run(io, client.merge_patch(path, merge, "other")) ? 0 : 1;
        }
    });
    for (int i = 0; i < 6; ++i) {
        const int ready_b = i % 2 == 0 ? 1 : 2;
        put_service(2, ready_b);
        EXPECT_TRUE(until([&] { return weights() == (ready_b == 1 ? "2 1" : "1 1"); })) << i;
    }
    other.join();
    settle();
    EXPECT_EQ(refused, 0);
    EXPECT_EQ(route().at_pointer("/metadata/annotations").as_object().size(), std::size_t{most});
    EXPECT_EQ(weights(), "1 1");
    EXPECT_EQ(published(), "True Published");
    EXPECT_EQ(list_events("PublicationContested"), 0U) << "that is no fight";
}

TEST_F(KubePublicationTest, ForeignEditsArePutRight) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    settle();
    patch("httproute/chat-global",
          R"({"spec":{"hostnames":["elsewhere.example.com"],"rules":[{"name":"mine"}]}})");
    ASSERT_TRUE(until([this] { return weights() == "1 1"; }));
    const json::value stored = route();
    EXPECT_EQ(stored.at_pointer("/spec/hostnames"),
              json::value(json::array{fmt::format("chat.{}.global.example.com", ns)}));
    EXPECT_TRUE(member(stored, "/spec/rules/0/name").is_null()) << "what was added is gone";
    const std::string lost(list("services").at(0).at_pointer("/metadata/name").as_string());
    remove("service/" + lost);
    EXPECT_TRUE(until([&] { return list("services").size() == 2; }));
    settle();
    EXPECT_EQ(published(), "True Published");
}

TEST_F(KubePublicationTest, AForeignRouteIsRefusedAndLeftAlone) {
    const std::string foreign = fmt::format(R"(apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: chat-global, namespace: {}}}
spec:
  parentRefs: [{{name: other}}]
  hostnames: [other.example.com]
)",
                                            ns);
    apply(foreign);
    const std::string before = version_of(route());
    start();
    put_service();
    ASSERT_TRUE(until_published("False ClaimRejected"));
    EXPECT_THAT(
        problems(),
        HasSubstr(fmt::format("global HTTPRoute {}/chat-global belongs to another source", ns)));
    settle();
    EXPECT_EQ(version_of(route()), before);
    EXPECT_TRUE(list("services").empty());
    remove("httproute/chat-global");
    EXPECT_TRUE(until_published("True Published"));
}

TEST_F(KubePublicationTest, AHostnameThatIsTakenIsRefused) {
    apply(fmt::format(R"(apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: rival, namespace: {0}}}
spec:
  parentRefs: [{{name: global, namespace: gateway-system}}]
  hostnames: [chat.{0}.global.example.com]
)",
                      ns));
    start();
    put_service();
    ASSERT_TRUE(until_published("False ClaimRejected"));
    EXPECT_THAT(problems(),
                HasSubstr(fmt::format("is already published by HTTPRoute {}/rival", ns)));
    EXPECT_TRUE(route().is_null());
    patch("httproute/rival", R"({"spec":{"hostnames":["free.example.com"]}})");
    EXPECT_TRUE(until_published("True Published"));
}

TEST_F(KubePublicationTest, TheSecondOfTwoThatWantOneHostnameIsRejectedAndTheFirstUndisturbed) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    settle();
    const std::string before = version_of(route());
    const std::string map_before = version_of(map());
    put_service_named("second", fmt::format("chat.{}.global.example.com", ns));
    ASSERT_TRUE(until([this] { return published_of("second") == "False ClaimRejected"; }));
    EXPECT_THAT(problems(),
                HasSubstr(fmt::format("Gateway hostname \"chat.{0}.global.example.com\" on "
                                      "gateway-system/global is already published by HTTPRoute "
                                      "{0}/chat-global",
                                      ns)));
    settle();
    EXPECT_TRUE(get(path_of("httproutes", "second-global")).is_null());
    EXPECT_EQ(list("services").size(), 2U) << "those of the first";
    EXPECT_EQ(version_of(route()), before);
    EXPECT_EQ(version_of(map()), map_before);
    EXPECT_EQ(published(), "True Published");
    writes = 0;
    advance(61s);
    EXPECT_EQ(writes, 0U) << "nor is anything written about it again";
    remove("inferenceservice/chat");
    EXPECT_TRUE(until([this] { return published_of("second") == "True Published"; }))
        << "it comes in when the hostname is free";
}

// It has not our label, so that it is not followed: the server says that it is there.
TEST_F(KubePublicationTest, AForeignServiceIsRefusedAndSeenToGo) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    const std::string name(list("services").at(0).at_pointer("/metadata/name").as_string());
    end();
    const CommandResult unlabelled =
        kube_servers().kubectl({"label", "service", name, "-n", ns, "ome.io/managed-by-"});
    ASSERT_EQ(unlabelled.exit_code, 0) << unlabelled.output;
    const std::string before = version_of(get(path_of("services", name)));
    start();
    ASSERT_TRUE(until_published("False ClaimRejected"));
    EXPECT_THAT(
        problems(),
        HasSubstr(fmt::format("global backend Service {}/{} belongs to another source", ns, name)));
    settle();
    EXPECT_EQ(version_of(get(path_of("services", name))), before);
    remove("service/" + name);
    EXPECT_TRUE(until_published("True Published"));
    EXPECT_EQ(list("services").size(), 2U);
}

TEST_F(KubePublicationTest, ARouteGoesBeforeItsBackendsAndTheFinalizerLast) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    patch("httproute/chat-global", R"({"metadata":{"finalizers":["example.com/hold"]}})");
    settle();
    remove("inferenceservice/chat");
    ASSERT_TRUE(
        until([this] { return !member(route(), "/metadata/deletionTimestamp").is_null(); }));
    settle();
    EXPECT_EQ(weights(), "0 0") << "zeroed before it went";
    EXPECT_EQ(list("services").size(), 2U) << "the route may still lead to them";
    EXPECT_EQ(map().at_pointer("/metadata/finalizers/0"), "ome.io/trafficmap-publisher");
    EXPECT_EQ(published(), "False Finalizing");
    patch("httproute/chat-global", R"({"metadata":{"finalizers":null}})");
    EXPECT_TRUE(until([this] { return map().is_null(); }));
    EXPECT_TRUE(route().is_null());
    EXPECT_TRUE(list("services").empty());
}

TEST_F(KubePublicationTest, AForeignFinalizerOfAMapStays) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    patch("trafficmap/chat",
          R"({"metadata":{"finalizers":["ome.io/trafficmap-publisher","example.com/hold"]}})");
    remove("inferenceservice/chat");
    ASSERT_TRUE(until([this] {
        const json::value finalizers = member(map(), "/metadata/finalizers");
        return finalizers == json::parse(R"(["example.com/hold"])");
    }));
    EXPECT_TRUE(member(map(), "/status/publisher").is_null());
    EXPECT_TRUE(member(map(), "/status/gatewayRef").is_null());
    patch("trafficmap/chat", R"({"metadata":{"finalizers":null}})");
    EXPECT_TRUE(until([this] { return map().is_null(); }));
}

// The rights of contract/publisher-cli.md 1.13, but for the policies.
TEST_F(KubePublicationTest, AKindThatMayNotBeReadTroublesNobodyWhoDoesWithoutIt) {
    const auto grant = [this](const std::string& kinds) {
        apply(fmt::format(R"(apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: publisher, namespace: {0}}}
rules:
  - {{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}}
  - {{apiGroups: [""], resources: [events], verbs: [create, patch]}}
  - {{apiGroups: [ome.io], resources: [inferenceservices], verbs: [get, list, watch]}}
  - {{apiGroups: [ome.io], resources: [inferenceservices/finalizers], verbs: [update]}}
  - {{apiGroups: [ome.io], resources: [trafficmaps], verbs: [get, list, watch, create, patch, delete]}}
  - {{apiGroups: [ome.io], resources: [trafficmaps/status], verbs: [patch]}}
  - {{apiGroups: [gateway.networking.k8s.io], resources: [{1}], verbs: [get, list, watch, create, update, delete]}}
  - {{apiGroups: [""], resources: [services], verbs: [get, list, watch, create, update, delete]}}
  - {{apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [get, list, watch, create, update, delete]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: publisher, namespace: {0}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: publisher}}
subjects: [{{kind: User, apiGroup: rbac.authorization.k8s.io, name: "system:serviceaccount:ome-observer:ome-trafficmap"}}]
)",
                          ns,
                          kinds));
    };
    grant("httproutes");
    put_service();
    start("controller");
    ASSERT_TRUE(until_published("True Published"));
    settle();
    end();
    gateway.tls_enabled = true;
    gateway.well_known_ca_certificates = "System";
    start("controller");
    ASSERT_TRUE(until_published("False ClaimRejected"));
    EXPECT_THAT(problems(),
                AllOf(HasSubstr("read global BackendTLSPolicy"), HasSubstr("forbidden")));
    EXPECT_EQ(weights(), "1 1") << "what is there goes on serving";
    grant("httproutes, backendtlspolicies");
    EXPECT_TRUE(until_published("True Published"));
    EXPECT_EQ(list("backendtlspolicies").size(), 2U);
}

TEST_F(KubePublicationTest, ATypeMayGoAndComeBack) {
    start();
    put_service();
    ASSERT_TRUE(until_published("True Published"));
    const CommandResult removed = kube_servers().kubectl(
        {"delete", "crd", "httproutes.gateway.networking.k8s.io", "--wait=true"});
    ASSERT_EQ(removed.exit_code, 0) << removed.output;
    EXPECT_TRUE(until_published("False ClaimRejected"));
    install_gateway_api();
    ASSERT_TRUE(until_published("True Published"));
    EXPECT_EQ(weights(), "1 1");
}

// The user `stranger` has the rights that the controller is to have on a workload cluster.
void let_read_workloads() {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{
              "apply", "-f", source_file("deploy/examples/workload-cluster/rbac.yaml")},
          {"create",
           "clusterrolebinding",
           "stranger-reads-workloads",
           "--clusterrole=ome-trafficmap-workload",
           "--user=stranger"}}) {
        const CommandResult done = kube_servers().kubectl(command);
        ASSERT_EQ(done.exit_code, 0) << done.output;
    }
}

// The worked example of publisher-cli.json whose role is that of OME's chart.
TEST_F(KubePublicationTest, TheRightsOnAWorkloadClusterAreThoseOfTheExample) {
    std::ifstream in(source_file("tests/cases/publisher-cli.json"));
    const json::value cases = json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
    const auto& all = cases.as_array();
    const auto example = std::find_if(all.begin(), all.end(), [](const json::value& one) {
        return one.at("name") == "workload-cluster read permissions";
    });
    ASSERT_NE(example, all.end());
    const CommandResult applied = kube_servers().kubectl(
        {"apply", "-f", source_file("deploy/examples/workload-cluster/rbac.yaml")});
    ASSERT_EQ(applied.exit_code, 0) << applied.output;
    const json::value role =
        get("/apis/rbac.authorization.k8s.io/v1/clusterroles/ome-trafficmap-workload");
    const json::value& expected = example->at("expect").at("gateway.networking.k8s.io");
    EXPECT_EQ(role.at("rules"),
              json::array({json::object{{"apiGroups", {"gateway.networking.k8s.io"}},
                                        {"resources", expected.at("resources")},
                                        {"verbs", expected.at("verbs")}}}));
}

TEST_F(KubePublicationTest, AddressesComeFromWorkloadClusters) {
    let_read_workloads();
    Scratch clusters;
    std::ifstream in(kube_servers().kubeconfig("stranger"));
    const std::string kubeconfig{std::istreambuf_iterator<char>(in), {}};
    workload_kubeconfigs = clusters.path("");
    gateway.service_type = "Headless";
    gateway.slices_enabled = true;
    gateway.address_refresh_interval = "30s";
    apply(fmt::format(R"(apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: chat, namespace: {0}}}
spec:
  hostnames: [chat.worker-a.example.com, chat.worker-b.example.com]
  parentRefs: [{{name: edge}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {{name: edge, namespace: {0}}}
spec:
  gatewayClassName: test
  listeners: [{{name: http, port: 80, protocol: HTTP}}]
)",
                      ns));
    const CommandResult addressed = kube_servers().kubectl(
        {"patch",
         "gateway/edge",
         "-n",
         ns,
         "--subresource=status",
         "--type=merge",
         "-p",
         R"({"status":{"addresses":[{"type":"IPAddress","value":"203.0.113.10"}]}})"});
    ASSERT_EQ(addressed.exit_code, 0) << addressed.output;
    clusters.write("worker-a.yaml", kubeconfig);
    start();
    put_service();
    ASSERT_TRUE(until_published("False ApplyFailed"));
    EXPECT_THAT(problems(),
                AllOf(HasSubstr("cluster \"worker-b\": workload cluster is not connected"),
                      Not(HasSubstr("\"worker-a\""))));
    EXPECT_EQ(weights(), "1 1") << "what can be applied is applied (D17)";
    clusters.write("worker-b.yaml", kubeconfig);
    EXPECT_TRUE(until_published("True Published"));
    const std::vector<json::value> slices = list("endpointslices");
    ASSERT_EQ(slices.size(), 2U);
    EXPECT_EQ(slices[0].at_pointer("/endpoints/0/addresses/0"), "203.0.113.10");
    settle();
    writes = 0;
    advance(31s);
    EXPECT_EQ(writes, 0U);
}

}  // namespace
}  // namespace ome::test
