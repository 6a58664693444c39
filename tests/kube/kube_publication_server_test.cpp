// The publisher on a real API server with the types of the Gateway API: what it makes, what it
// leaves alone, and in which order it goes.
#include "integration/scratch.hpp"
#include "kube/gateway_api.hpp"
#include "kube/kube_publishing.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

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

using KubePublicationTest = KubePublishingTest;

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
         {std::vector<std::string>{"apply", "-f", OME_EXAMPLES "/workload-cluster/rbac.yaml"},
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
    std::ifstream in(OME_TEST_CASES "/publisher-cli.json");
    const json::value cases = json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
    const auto& all = cases.as_array();
    const auto example = std::find_if(all.begin(), all.end(), [](const json::value& one) {
        return one.at("name") == "workload-cluster read permissions";
    });
    ASSERT_NE(example, all.end());
    const CommandResult applied =
        kube_servers().kubectl({"apply", "-f", OME_EXAMPLES "/workload-cluster/rbac.yaml"});
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
