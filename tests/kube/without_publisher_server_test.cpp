// Routing for people who publish nothing: without 11-rbac-publisher.yaml maps are made, changed and
// deleted, and what was published before is never taken for gone.
#include "kube/gateway_api.hpp"
#include "kube/run_on_kube.hpp"
#include "support/source_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* published =
    R"({.status.conditions[?(@.type=="Published")].status} {.status.conditions[?(@.type=="Published")].reason})";

class WithoutPublisher : public RunOnKube {
protected:
    void SetUp() override {
        RunOnKube::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        install_gateway_api();
    }
    void TearDown() override {
        if (!IsSkipped()) {
            give_rights();
        }
        RunOnKube::TearDown();
    }

    void take_rights() {
        kubectl({"delete", "-f", run_on_kube_manifest("11-rbac-publisher.yaml")});
    }
    void give_rights() { kubectl({"apply", "-f", run_on_kube_manifest("11-rbac-publisher.yaml")}); }
    std::unique_ptr<ControllerProcess> start_with_gateway() {
        return std::make_unique<ControllerProcess>(
            kube_servers().kubeconfig("controller"),
            ns,
            LeaseTimes{},
            "a",
            ControllerSetup{.configuration =
                                "--config=" +
                                scratch.write("gateway.json", R"({"routing":{"enabled":true,
              "observer":{"maxConcurrentReconciles":8,"maxConcurrentRequests":16,
                          "maxResponseBytes":65536,"minPeriod":"1s","maxSamples":100},
              "publisher":{"resyncInterval":"1m"}},
              "endpoint":{"globalGateway":"gateway-system/global","backendPort":80,
                          "globalHostTemplate":"{{ .Name }}.{{ .Namespace }}.example.com"}})")});
    }
    bool is_said(const std::string& name, const std::string& expected) {
        return eventually([&] { return field("trafficmap", name, published) == expected; });
    }
    bool is_gone(const std::string& name) {
        return eventually([&] { return field("trafficmap", name, "{.metadata.name}").empty(); });
    }
    void move_endpoints(const std::string& name) {
        patch("inferenceservice",
              name,
              R"({"status":{"placement":{"candidates":[
                {"cluster":"worker-a","phase":"Admitted","admittedReplicas":2,"readyReplicas":2,
                 "endpoint":"http://a.example.com"}]}}})",
              "--subresource=status");
    }

    Scratch scratch;
};

TEST_F(WithoutPublisher, MapsAreMadeAndDeletedWhereNothingIsPublished) {
    take_rights();
    const auto a = start("a");
    add_service("chat");
    add_service("other");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << a->output();
    EXPECT_TRUE(is_said("chat", "False Withdrawn")) << a->output();
    drain("chat", R"({"m":{"cluster":"worker-a","reason":"r"}})");
    EXPECT_TRUE(eventually_has("chat", "0 1"));
    EXPECT_THAT(a->get("/status").body, Not(HasSubstr("missing right")));
    EXPECT_THAT(a->output(), HasSubstr("which the publisher needs with a gateway alone"));
    EXPECT_THAT(a->output(), Not(HasSubstr("reconciliation failed")));

    patch("inferenceservice", "other", R"({"spec":{"routing":{"enabled":false}}})");
    EXPECT_TRUE(is_gone("other")) << a->output();
    kubectl({"delete", "inferenceservice", "chat", "-n", ns, "--timeout=60s"});
    EXPECT_TRUE(is_gone("chat")) << a->output();
}

TEST_F(WithoutPublisher, WhoWantsToPublishIsToldWhatIsMissingAndPublishesWhenItIsGiven) {
    take_rights();
    const auto a = start_with_gateway();
    add_service("chat");
    move_endpoints("chat");
    EXPECT_TRUE(is_said("chat", "False ClaimRejected")) << a->output();
    EXPECT_THAT(
        a->get("/status").body,
        HasSubstr("missing right: list httproutes.gateway.networking.k8s.io in namespace "));
    give_rights();
    EXPECT_TRUE(is_said("chat", "True Published")) << a->output();
    EXPECT_TRUE(eventually(
        [&] { return a->get("/status").body.find("missing right") == std::string::npos; }));
    patch("inferenceservice", "chat", R"({"spec":{"routing":{"enabled":false}}})");
    EXPECT_TRUE(is_gone("chat")) << a->output();
}

TEST_F(WithoutPublisher, WithoutTheGatewayApiItSaysWhatToInstall) {
    kubectl({"delete", "crd", "httproutes.gateway.networking.k8s.io"});
    const auto a = start_with_gateway();
    add_service("chat");
    move_endpoints("chat");
    EXPECT_TRUE(is_said("chat", "False ClaimRejected")) << a->output();
    const std::string missing =
        "the API server has no type httproutes.gateway.networking.k8s.io of version v1: install "
        "the Gateway API CRDs";
    const std::string shown = a->get("/status").body;
    EXPECT_THAT(shown, HasSubstr("\ntrouble   HTTPRoute, since 2"));
    EXPECT_THAT(shown, HasSubstr(missing));
    EXPECT_THAT(a->output(),
                HasSubstr("WARN  objects of a kind that is needed cannot be read, nothing is "
                          "published kind=HTTPRoute"));
    EXPECT_THAT(a->output(), HasSubstr("chat-global: " + missing));
    EXPECT_THAT(a->output(), Not(HasSubstr("404 page not found")));
    install_gateway_api();
    EXPECT_TRUE(is_said("chat", "True Published")) << a->output();
    EXPECT_TRUE(
        eventually([&] { return a->get("/status").body.find("trouble ") == std::string::npos; }));
    patch("inferenceservice", "chat", R"({"spec":{"routing":{"enabled":false}}})");
    EXPECT_TRUE(is_gone("chat")) << a->output();
}

TEST_F(WithoutPublisher, WhatWasPublishedIsNotTakenForGone) {
    {
        const auto a = start_with_gateway();
        add_service("chat");
        move_endpoints("chat");
        ASSERT_TRUE(is_said("chat", "True Published")) << a->output();
        a->process().signal(SIGTERM);
        ASSERT_EQ(a->process().wait_for_exit(std::chrono::seconds(60)), 0);
    }
    take_rights();
    const auto a = start("a");
    EXPECT_TRUE(is_said("chat", "False ApplyFailed")) << a->output();
    patch("inferenceservice", "chat", R"({"spec":{"routing":{"enabled":false}}})");
    EXPECT_TRUE(a->process().wait_for_line("finalization failed", kube_patience)) << a->output();
    EXPECT_THAT(a->output(), HasSubstr("read claimed HTTPRoute"));
    EXPECT_EQ(field("trafficmap", "chat", "{.metadata.name}"), "chat");
    EXPECT_EQ(field("httproute", "chat-global", "{.metadata.name}"), "chat-global");
    give_rights();
    EXPECT_TRUE(is_gone("chat")) << a->output();
    EXPECT_EQ(field("httproute", "chat-global", "{.metadata.name}"), "");
}

}  // namespace
}  // namespace ome::test
