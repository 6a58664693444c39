// The configuration in a ConfigMap of a real API server: waited for, followed, and kept while what
// is there cannot be used.
#include "kube/run_on_kube.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* name = "ome-observer-config";

std::string configuration(int sample_limit) {
    return fmt::format(R"({{"routing":{{"enabled":true,"observer":{{"maxConcurrentReconciles":8,
        "maxConcurrentRequests":16,"maxResponseBytes":65536,"minPeriod":"1s","maxSamples":{}}},
        "publisher":{{"resyncInterval":"1m"}}}}}})",
                       sample_limit);
}

class ConfigMapOnKube : public RunOnKube {
protected:
    void SetUp() override {
        RunOnKube::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            remove();
        }
    }
    void TearDown() override {
        if (!IsSkipped()) {
            remove();
        }
        RunOnKube::TearDown();
    }

    void remove() {
        kubectl({"delete", "configmap", name, "-n", "ome-observer", "--ignore-not-found"});
    }
    void put(const std::string& text, const std::string& key = "multicluster") {
        kubectl({"apply", "-f", "-"},
                json::serialize(
                    json::object{{"apiVersion", "v1"},
                                 {"kind", "ConfigMap"},
                                 {"metadata", {{"name", name}, {"namespace", "ome-observer"}}},
                                 {"data", {{key, text}}}}));
    }
    std::unique_ptr<ControllerProcess> start_with(const std::string& flag) {
        return std::make_unique<ControllerProcess>(kube_servers().kubeconfig("controller"),
                                                   ns,
                                                   LeaseTimes{"15s", "12s", "200ms"},
                                                   "a",
                                                   ControllerSetup{.configuration = flag});
    }
    bool says(const ControllerProcess& controller, const char* where, const std::string& text) {
        return eventually(
            [&] { return controller.get(where).body.find(text) != std::string::npos; });
    }
};

TEST_F(ConfigMapOnKube, IsWaitedForAndFollowed) {
    const auto a = start_with("--config-map=ome-observer/ome-observer-config");
    EXPECT_TRUE(says(*a, "/readyz", "ConfigMap ome-observer/ome-observer-config: is not there"))
        << a->output();
    EXPECT_EQ(a->get("/readyz").status, 503);
    EXPECT_EQ(a->get("/livez").status, 200);
    EXPECT_EQ(a->get("/v1/status").status, 503);
    EXPECT_THAT(a->get("/metrics").body, HasSubstr("\nome_trafficmap_configuration_unusable 1\n"));

    put(configuration(100), "multicluster.json");
    EXPECT_TRUE(says(*a, "/readyz", "has no key data.multicluster")) << a->output();
    put(R"({"routing":{"enabled":true}})");
    EXPECT_TRUE(says(*a, "/readyz", "invalid multi-cluster configuration")) << a->output();
    put(configuration(100));
    ASSERT_TRUE(eventually([&] { return a->leads() && a->ready(); })) << a->output();
    add_service("chat");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << a->output();
    EXPECT_THAT(a->get("/v1/status").body,
                HasSubstr(R"("source":"ConfigMap ome-observer/ome-observer-config","problem":"")"));

    put(configuration(50));
    EXPECT_TRUE(a->process().wait_for_line("routing.observer.maxSamples: 100 -> 50", kube_patience))
        << a->output();
    ASSERT_TRUE(eventually([&] { return a->leads() && a->ready(); })) << a->output();
    EXPECT_EQ(weights("chat"), "1 1");
}

TEST_F(ConfigMapOnKube, WhatCannotBeUsedChangesNothingAndIsTold) {
    put(configuration(100));
    const auto a = start_with("--config-map=ome-observer/ome-observer-config");
    ASSERT_TRUE(eventually([&] { return a->leads() && a->ready(); })) << a->output();
    add_service("chat");
    ASSERT_TRUE(eventually_has("chat", "1 1"));

    put(R"({"routing":{"enabled":"perhaps"}})");
    EXPECT_TRUE(says(*a, "/metrics", "\nome_trafficmap_configuration_unusable 1\n")) << a->output();
    EXPECT_TRUE(a->process().wait_for_line("what was in force stays", kube_patience));
    EXPECT_THAT(a->get("/status").body,
                AllOf(HasSubstr("config    ConfigMap ome-observer/ome-observer-config: "),
                      HasSubstr("routing.enabled"),
                      HasSubstr("an earlier one is in force")));
    EXPECT_TRUE(a->ready());
    EXPECT_TRUE(eventually([&] {
        const std::string events =
            kube_servers()
                .kubectl(
                    {"get", "events", "-n", "ome-observer", "-o", "jsonpath={.items[*].reason}"})
                .output;
        return events.find("InvalidConfiguration") != std::string::npos;
    })) << a->output();

    remove();
    EXPECT_TRUE(says(*a, "/status", "is not there")) << a->output();
    drain("chat", R"({"m":{"cluster":"worker-a","reason":"r"}})");
    EXPECT_TRUE(eventually_has("chat", "0 1")) << "the last good one is in force";

    put(configuration(100));
    EXPECT_TRUE(says(*a, "/metrics", "\nome_trafficmap_configuration_unusable 0\n")) << a->output();
    EXPECT_THAT(a->output(), HasSubstr("the configuration can be used again"));
    EXPECT_EQ(weights("chat"), "0 1");
}

TEST_F(ConfigMapOnKube, HasADefaultName) {
    const auto a = start_with("--log-level=info");
    EXPECT_TRUE(says(*a, "/readyz", "ConfigMap default/ome-observer-config: ")) << a->output();
}

}  // namespace
}  // namespace ome::test
