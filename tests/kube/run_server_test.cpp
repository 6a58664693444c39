// `ome-trafficmap run --store kube` as it runs on a cluster: processes, in the role and with the
// rights of deploy/examples/kubernetes, on a real API server.
#include "kube/run_on_kube.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sstream>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

// `verb group/resource`, as in a role.
std::string right(std::string_view verb, std::string_view group, std::string_view resource) {
    return fmt::format("{} {}/{}", verb, group, resource);
}

// 401 and 403, of the audit log.
std::vector<std::string> refused() {
    std::vector<std::string> refused;
    std::ifstream log(kube_servers().audit_log());
    for (std::string line; std::getline(log, line);) {
        boost::system::error_code torn;
        const json::value event = json::parse(line, torn);
        const json::object* object = torn ? nullptr : event.if_object();
        if (object == nullptr || !object->contains("objectRef")) {
            continue;
        }
        const json::object& about = object->at("objectRef").as_object();
        const auto part = [&about](const char* name) {
            const json::value* found = about.if_contains(name);
            return found == nullptr ? std::string() : std::string(found->as_string());
        };
        const std::string resource =
            part("resource") + (part("subresource").empty() ? "" : "/" + part("subresource"));
        const std::string used = right(object->at("verb").as_string(), part("apiGroup"), resource);
        const json::value* status = object->if_contains("responseStatus");
        const json::value* code =
            status == nullptr ? nullptr : status->as_object().if_contains("code");
        if (code != nullptr && (*code == 401 || *code == 403)) {
            refused.push_back(used + " " + part("namespace"));
        }
    }
    return refused;
}

TEST_F(RunOnKube, AServiceHasTheMapThatFollowsFromItWhateverOthersDo) {
    const auto a = start("a");
    ASSERT_TRUE(eventually([&] { return a->leads() && a->ready(); })) << a->output();
    add_service("chat", R"("plan":{"id":"plan-1","mode":"All","revision":1},)");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << a->output();
    const std::string uid = field("inferenceservice", "chat", "{.metadata.uid}");
    EXPECT_EQ(field("trafficmap", "chat", "{.metadata.ownerReferences[*].uid}"), uid);
    EXPECT_TRUE(eventually([&] {
        return field("trafficmap",
                     "chat",
                     R"({.status.conditions[?(@.type=="Routable")].status})") == "True";
    }));
    EXPECT_EQ(field("trafficmap", "chat", "{.status.sourceUID}"), uid);
    EXPECT_TRUE(eventually([&] { return a->declared() == 1; }));

    patch("trafficmap", "chat", R"({"spec":{"entries":null}})");
    EXPECT_TRUE(eventually_has("chat", "1 1")) << "a hand edit is undone";
    const std::string map_uid = field("trafficmap", "chat", "{.metadata.uid}");
    kubectl({"delete", "trafficmap", "chat", "-n", ns, "--wait=false"});
    EXPECT_TRUE(eventually([&] {
        const std::string now = field("trafficmap", "chat", "{.metadata.uid}");
        return !now.empty() && now != map_uid && weights("chat") == "1 1";
    })) << "a deleted map comes back";

    drain("chat", R"({"m":{"cluster":"worker-a","reason":"r"}})");
    EXPECT_TRUE(eventually_has("chat", "0 1"));
    EXPECT_TRUE(eventually([&] {
        return events().find("TrafficMap chat DrainApplied 1\n") != std::string::npos;
    })) << events()
        << a->output();
    drain("chat", R"({"m":{}})");
    EXPECT_TRUE(eventually([&] {
        return events().find("InferenceService chat RoutingFrozen 1\n") != std::string::npos;
    })) << events();
    EXPECT_EQ(weights("chat"), "0 1") << "a drain that cannot be read undrains nothing";
    drain("chat", "");
    EXPECT_TRUE(eventually_has("chat", "1 1"));
    drain("chat", R"({"m":{}})");
    EXPECT_TRUE(eventually([&] {
        return events().find("InferenceService chat RoutingFrozen 2\n") != std::string::npos;
    })) << "the same again is counted: "
        << events();
    EXPECT_THAT(a->get("/status").body, HasSubstr("leading"));

    // A drain whose time is over is taken off.
    drain("chat", R"({"m":{"cluster":"worker-a","reason":"r"}})");
    EXPECT_TRUE(eventually_has("chat", "0 1"));
    patch(
        "inferenceservice",
        "chat",
        json::serialize(json::object{
            {"metadata",
             {{"annotations",
               {{"ome.io/traffic-drain-expiry",
                 R"({"m":{"cluster":"worker-a","reason":"r","until":"2020-01-01T00:00:00Z"}})"}}}}}}));
    EXPECT_TRUE(eventually_has("chat", "1 1")) << a->output();

    patch("inferenceservice", "chat", R"({"spec":{"routing":{"enabled":false}}})");
    EXPECT_TRUE(eventually([&] { return field("trafficmap", "chat", "{.metadata.name}").empty(); }))
        << "a service that opts out has no map";

    EXPECT_THAT(refused(), ElementsAre()) << a->output();
}

TEST_F(RunOnKube, WhatBelongsToOthersStaysAsItIs) {
    kubectl({"apply", "-n", ns, "-f", "-"},
            R"({"apiVersion":"ome.io/v1beta1","kind":"TrafficMap","metadata":{"name":"chat"},
                "spec":{"service":"of-somebody-else","mode":"All"}})");
    const std::string all =
        "{.metadata.generation} {.metadata.finalizers} {.metadata.ownerReferences} {.spec}";
    const std::string before = field("trafficmap", "chat", all);
    const auto a = start("a");
    add_service("chat");
    add_service("other");
    ASSERT_TRUE(eventually_has("other", "1 1")) << a->output();
    EXPECT_TRUE(eventually([&] {
        return events().find("InferenceService chat RoutingFrozen 1\n") != std::string::npos;
    })) << events();
    EXPECT_EQ(field("trafficmap", "chat", all), before);
    kubectl({"delete", "inferenceservice", "chat", "other", "-n", ns});
    EXPECT_TRUE(eventually([&] {
        return field("trafficmap", "other", "{.metadata.name}").empty();
    })) << "the garbage collector takes the map of a service that is gone";
    // But for the publisher's word that it publishes no such map.
    EXPECT_EQ(field("trafficmap", "chat", all), before);
}

// contract/trafficmap.md 9.5: placement holds the service until its map is gone, and the publisher
// holds the map until nothing of it is published.
TEST_F(RunOnKube, AServiceThatGoesTakesItsMapAlong) {
    const auto a = start("a");
    add_service("chat");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << a->output();
    ASSERT_TRUE(eventually([&] {
        return field("trafficmap", "chat", "{.metadata.finalizers[*]}") ==
               "ome.io/trafficmap-publisher";
    })) << a->output();
    patch("inferenceservice", "chat", R"({"metadata":{"finalizers":["ome.io/placement"]}})");
    patch("trafficmap",
          "chat",
          R"({"metadata":{"finalizers":["ome.io/trafficmap-publisher","example.com/held"]}})");
    kubectl({"delete", "inferenceservice", "chat", "-n", ns, "--wait=false"});
    EXPECT_TRUE(eventually([&] {
        return field("trafficmap", "chat", "{.metadata.finalizers[*]}") == "example.com/held";
    })) << "the publisher lets go, others are not hurried: "
        << a->output();
    EXPECT_NE(field("trafficmap", "chat", "{.metadata.deletionTimestamp}"), "");
    patch("trafficmap", "chat", R"({"metadata":{"finalizers":null}})");
    EXPECT_TRUE(
        eventually([&] { return field("trafficmap", "chat", "{.metadata.name}").empty(); }));
    EXPECT_NE(field("inferenceservice", "chat", "{.metadata.name}"), "") << "the map goes first";
    patch("inferenceservice", "chat", R"({"metadata":{"finalizers":null}})");
    EXPECT_TRUE(
        eventually([&] { return field("inferenceservice", "chat", "{.metadata.name}").empty(); }));
    EXPECT_EQ(field("trafficmap", "chat", "{.metadata.name}"), "") << "and does not come back";
}

// Nobody told the new leader that there was a service.
TEST_F(RunOnKube, AMapThatItsServiceLeftBehindGoesAlso) {
    auto a = start("a");
    add_service("chat");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << a->output();
    a->process().signal(SIGTERM);
    ASSERT_EQ(a->process().wait_for_exit(30s), 0);
    kubectl({"delete", "inferenceservice", "chat", "-n", ns, "--cascade=orphan"});
    const std::string owners = "{.metadata.ownerReferences}";
    ASSERT_TRUE(eventually([&] { return field("trafficmap", "chat", owners).empty(); }));
    ASSERT_EQ(weights("chat"), "1 1") << "it was to be left behind";
    a = start("b");
    EXPECT_TRUE(eventually([&] { return field("trafficmap", "chat", "{.metadata.uid}").empty(); }))
        << a->output();
}

TEST_F(RunOnKube, OneLeadsAndWhenItIsKilledTheOtherPutsEverythingRight) {
    const auto a = start("a");
    ASSERT_TRUE(eventually([&] { return a->leads(); })) << a->output();
    const auto b = start("b");
    ASSERT_TRUE(eventually([&] { return b->ready(); })) << "a standby is ready: " << b->output();
    EXPECT_THAT(b->get("/readyz").body, HasSubstr("standby"));
    add_service("chat");
    ASSERT_TRUE(eventually_has("chat", "1 1"));
    ASSERT_TRUE(eventually([&] { return a->declared() == 1; }));
    EXPECT_EQ(b->declared(), 0U) << "only the leader declares";
    EXPECT_FALSE(b->leads());
    EXPECT_THAT(b->get("/status").body, HasSubstr("ome-observer/ome-trafficmap: held by a since "));
    EXPECT_THAT(a->get("/status").body, HasSubstr("held by a (this process) since "));
    const json::value status = json::parse(b->get("/v1/status").body);
    EXPECT_EQ(status.at_pointer("/lease/holder"), "a");
    EXPECT_EQ(status.at_pointer("/lease/ours"), false);
    EXPECT_THAT(
        b->get("/metrics").body,
        HasSubstr(
            R"(ome_trafficmap_lease_holder{lease="ome-observer/ome-trafficmap",holder="a"} 1)"));

    a->process().signal(SIGKILL);
    const auto killed = std::chrono::steady_clock::now();
    patch("trafficmap", "chat", R"({"spec":{"entries":null}})");
    ASSERT_TRUE(eventually([&] { return b->leads(); })) << b->output();
    EXPECT_LT(std::chrono::steady_clock::now() - killed, 60s) << "a lease lasts 15 s";
    EXPECT_TRUE(eventually_has("chat", "1 1"));
    EXPECT_TRUE(eventually([&] { return b->declared() == 1; }));
}

TEST_F(RunOnKube, WhoEndsInOrderGivesTheLeadUp) {
    const LeaseTimes long_lease{"120s", "90s", "500ms"};
    const auto a = start("a", long_lease);
    ASSERT_TRUE(eventually([&] { return a->leads(); })) << a->output();
    const auto b = start("b", long_lease);
    ASSERT_TRUE(eventually([&] { return b->ready(); })) << b->output();
    a->process().signal(SIGTERM);
    const auto ended = std::chrono::steady_clock::now();
    EXPECT_EQ(a->process().wait_for_exit(30s), 0);
    ASSERT_TRUE(eventually([&] { return b->leads(); })) << b->output();
    EXPECT_LT(std::chrono::steady_clock::now() - ended, 60s) << "long before the lease is over";
}

TEST_F(RunOnKube, ALeadThatWasLostAndWonAgainMissesNothing) {
    const auto a = start("a");
    add_service("chat");
    add_service("old");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << a->output();
    ASSERT_TRUE(eventually([&] { return a->declared() == 2; }));
    give_lease_to("thief");
    ASSERT_TRUE(eventually([&] { return !a->leads(); })) << a->output();
    EXPECT_TRUE(a->ready());
    EXPECT_TRUE(eventually([&] { return a->declared() == 0; })) << "it wants nothing any more";

    patch("trafficmap", "chat", R"({"spec":{"entries":null}})");
    kubectl({"delete", "inferenceservice", "old", "-n", ns});
    add_service("new");
    EXPECT_EQ(weights("chat"), "") << "who does not lead does not write";
    EXPECT_EQ(weights("new"), "");

    give_lease_to("");
    ASSERT_TRUE(eventually([&] { return a->leads(); })) << a->output();
    EXPECT_TRUE(eventually_has("chat", "1 1")) << a->output();
    EXPECT_TRUE(eventually_has("new", "1 1"));
    EXPECT_TRUE(eventually([&] { return a->declared() == 2; })) << a->declared();
    EXPECT_THAT(a->get("/status").body, Not(HasSubstr("/old")));
}

TEST_F(RunOnKube, AnApiServerWithoutTheTypesIsToldAndWaitedFor) {
    release_maps();
    kubectl({"delete", "-f", source_file("deploy/crds")});
    const auto a = start("a");
    const auto line = a->process().wait_for_line("install the CRDs first", kube_patience);
    EXPECT_TRUE(line) << a->output();
    EXPECT_THAT(line.value_or(""), HasSubstr(".ome.io"));
    EXPECT_EQ(a->get("/readyz").status, 503);
    EXPECT_EQ(a->get("/livez").status, 200);
    kubectl({"apply", "-f", source_file("deploy/crds")});
    EXPECT_TRUE(eventually([&] { return a->ready(); })) << a->output();
}

TEST_F(RunOnKube, AVoidTokenIsShownUntilThereIsAnother) {
    const Scratch scratch;
    const std::string good = kube_servers().token_of("controller");
    const std::string file = scratch.write("token", good);
    std::ifstream in(kube_servers().kubeconfig("controller"));
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto at = text.find(good);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, good.size(), file);
    text.replace(text.find("token"), 5, "tokenFile");
    ControllerProcess a(scratch.write("kubeconfig", text), ns, LeaseTimes{}, "a");
    add_service("chat");
    ASSERT_TRUE(eventually_has("chat", "1 1")) << a.output();
    EXPECT_THAT(a.get("/status").body, Not(HasSubstr("trouble ")));

    std::ignore = scratch.write("token", "void");
    ASSERT_TRUE(eventually([&] {
        return a.get("/status").body.find("\ntrouble   lease, since ") != std::string::npos;
    })) << a.output();
    EXPECT_TRUE(eventually([&] { return a.get("/readyz").status == 503; })) << a.output();
    EXPECT_THAT(a.get("/readyz").body,
                testing::AllOf(HasSubstr("finding out who leads: "), HasSubstr("HTTP 401")));
    const std::string shown = a.get("/status").body;
    EXPECT_THAT(shown, HasSubstr(", finding out who leads\n"));
    EXPECT_THAT(shown, HasSubstr("; ran out at 2"));
    const HttpReply asked = a.get("/v1/maps/" + ns + "/chat/explain");
    EXPECT_EQ(asked.status, 503);
    EXPECT_THAT(asked.body, HasSubstr("HTTP 401"));

    std::ignore = scratch.write("token", good);
    EXPECT_TRUE(eventually([&] { return a.ready() && a.leads(); })) << a.output();
    EXPECT_TRUE(eventually([&] {
        return a.get("/status").body.find("trouble ") == std::string::npos;
    })) << a.get("/status").body;
}

TEST_F(RunOnKube, TheManifestsAreWhatAnApiServerTakes) {
    const CommandResult applied =
        kubectl({"apply", "--dry-run=server", "-f", source_file("deploy/examples/kubernetes")});
    for (const char* object : {"deployment.apps/ome-trafficmap",
                               "networkpolicy.networking.k8s.io/ome-trafficmap",
                               "service/ome-trafficmap-metrics",
                               "poddisruptionbudget.policy/ome-trafficmap",
                               "configmap/ome-observer-config"}) {
        EXPECT_THAT(applied.output, HasSubstr(object));
    }
    EXPECT_THAT(applied.output, Not(HasSubstr("Warning")));
}

}  // namespace
}  // namespace ome::test
