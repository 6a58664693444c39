// What the plugin reads, through a real kubectl and from a real API server: its tables, its errors,
// the kubeconfig's rules, the ways of being installed, completion.
#include "kube/plugin.hpp"
#include "kubectl/cluster_kube.hpp"
#include "support/run.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST_F(PluginTest, GetsMapsAsTheContractShowsThem) {
    const Ran maps = sh("kubectl ome get trafficmaps -n $NS");
    EXPECT_EQ(maps.code, 0) << maps.err;
    EXPECT_EQ(maps.err, "");
    const auto lines = lines_of(maps.out);
    ASSERT_EQ(lines.size(), 2U) << maps.out;
    EXPECT_THAT(lines[0], MatchesRegex("NAME   MODE   TARGETS   ROUTABLE   PUBLISHED   AGE *"));
    EXPECT_THAT(lines[1],
                MatchesRegex("chat   All    2         True       True        [0-9]+[smh] *"));

    const Ran wide = sh("kubectl ome get TM -A -o wide");
    EXPECT_EQ(cells_of(lines_of(wide.out).at(0)),
              (std::vector<std::string>{"NAMESPACE",
                                        "NAME",
                                        "MODE",
                                        "TARGETS",
                                        "ROUTABLE",
                                        "PUBLISHED",
                                        "AGE",
                                        "SERVICE",
                                        "ACTIVE",
                                        "HEALTHY",
                                        "OVERRIDE",
                                        "OVERRIDE-REASON",
                                        "REASON",
                                        "GATEWAY",
                                        "PUBLISHER-FRESHNESS"}));
    EXPECT_THAT(wide.out,
                HasSubstr(fmt::format("gateway.networking.k8s.io/HTTPRoute:{}/chat-global", ns)));
}

TEST_F(PluginTest, GivesTheObjectAsItIsAndAListOfThem) {
    const Ran one = sh("kubectl ome get tm chat -n $NS -o json");
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(json::parse(one.out), json::parse(sh("kubectl get tm chat -n $NS -o json").out));
    const Ran all = sh("kubectl ome get tm -n $NS -l team=search -o json");
    ASSERT_EQ(all.code, 0) << all.err;
    const json::value list = json::parse(all.out);
    EXPECT_EQ(list.at("kind"), "List");
    ASSERT_EQ(list.at("items").as_array().size(), 1U);
    EXPECT_EQ(list.at("items").at(0), json::parse(one.out));
    const Ran none = sh("kubectl ome get tm -n $NS -l 'team in (other), !x'");
    EXPECT_EQ(none.code, 0);
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(none.err, fmt::format("No trafficmaps found in {} namespace.\n", ns));
}

TEST_F(PluginTest, SaysInAWordWhyItCannot) {
    const auto error_of = [this](const std::string& line, const std::string& user = "admin") {
        const Ran ran = sh(line, user);
        EXPECT_EQ(ran.code, 1) << line;
        EXPECT_EQ(ran.out, "") << line;
        return ran.err;
    };
    EXPECT_EQ(error_of("kubectl ome get tm none -n $NS"),
              fmt::format("error: get trafficmaps {}/none: NotFound\n", ns));
    EXPECT_EQ(error_of("kubectl ome get tm chat -n $NS -o json", "stranger"),
              fmt::format("error: get trafficmaps {}/chat: Forbidden\n", ns));
    EXPECT_EQ(error_of("kubectl ome get tm -A", "stranger"),
              "error: list trafficmaps: Forbidden\n");
    EXPECT_EQ(error_of("kubectl ome get tm -n $NS --token nobody-s"),
              fmt::format("error: list trafficmaps {}: Unauthorized\n", ns));
    for (const char* command : {"why chat", "top", "watch --timeout 5s"}) {
        EXPECT_THAT(error_of(fmt::format("kubectl ome traffic {} -n $NS", command), "stranger"),
                    AllOf(HasSubstr(": Forbidden ("),
                          HasSubstr("User \"stranger\" cannot "),
                          HasSubstr(fmt::format("in the namespace \"{}\"", ns))))
            << command;
    }
    EXPECT_EQ(error_of("kubectl ome traffic why chat -n $NS --token nobody-s"),
              "error: InferenceService read unavailable: Unauthorized (the API server does not "
              "accept the login)\n");
    EXPECT_EQ(error_of("kubectl ome placement endpoint none -n $NS"),
              "error: InferenceService read unavailable: NotFound\n");
    EXPECT_EQ(error_of("kubectl ome get tm -n $NS -l 'a in (b'"),
              fmt::format("error: list trafficmaps {}: Rejected (\"a in (b\" is no label "
                          "selector)\n",
                          ns));
    EXPECT_THAT(error_of(fmt::format("kubectl ome get tm -n $NS --server https://127.0.0.1:{}",
                                     refused_port())),
                StartsWith(fmt::format("error: list trafficmaps {}: Unavailable (cannot reach "
                                       "https://127.0.0.1:",
                                       ns)));
    EXPECT_THAT(error_of("kubectl ome get tm -n $NS --context nowhere"),
                HasSubstr("there is no context \"nowhere\": it has \"admin\""));
}

TEST_F(PluginTest, TellsATypeThatIsNotInstalledFromAnObjectThatIsNotThere) {
    const auto word_for = [this](const std::string& target) {
        const auto answer = run(io, client->get(target));
        EXPECT_FALSE(answer);
        return kubectl::error_of(answer.error(), {}).what;
    };
    const std::string maps = collection_path(kube::traffic_maps, ns);
    EXPECT_EQ(word_for(maps + "/none"), kubectl::Failure::NotFound);
    EXPECT_EQ(word_for("/apis/ome.io/v1beta1/namespaces/" + ns + "/nothings/chat"),
              kubectl::Failure::ApiMissing);
    EXPECT_EQ(word_for("/apis/nobody.example.com/v1/things/chat"), kubectl::Failure::ApiMissing);
}

TEST_F(PluginTest, AListWhosePageIsTooOldBeginsAnew) {
    kubectl::KubeCluster cluster(kube_servers().access(), kube_patience, {});
    for (int i = 0; i < 3; ++i) {
        const json::object object{{"apiVersion", "ome.io/v1beta1"},
                                  {"kind", "TrafficMap"},
                                  {"metadata", {{"name", fmt::format("more-{}", i)}}},
                                  {"spec", {{"service", "chat"}, {"mode", "All"}}}};
        ASSERT_TRUE(
            run(io,
                client->create(
                    collection_path(kube::traffic_maps, ns), json::serialize(object), "test")));
    }
    kubectl::ListRequest request{.ns = ns, .limit = 3};
    const auto first = cluster.list(request, kube_patience);
    ASSERT_TRUE(first) << words_of(first.error());
    EXPECT_EQ(first->items.size(), 3U);
    ASSERT_NE(first->continue_token, "");
    request.continue_token = first->continue_token;
    annotate("example.com/count", "1");  // or else the page is of the present
    kube_servers().compact_etcd();
    kube_servers().restart_api_server();  // it remembers pages of its own
    EXPECT_EQ(cluster.list(request, kube_patience).error().what, kubectl::Failure::Expired);
    const auto all = list_all(cluster, {.ns = ns, .limit = 3}, kube_patience);
    ASSERT_TRUE(all) << words_of(all.error());
    EXPECT_EQ(all->items.size(), 4U);
}

TEST_F(PluginTest, ObeysTheKubeconfigAsKubectlDoes) {
    const std::string mine = scratch.write("mine",
                                           fmt::format(R"(
apiVersion: v1
kind: Config
current-context: mine
contexts:
  - {{name: mine, context: {{cluster: test, user: admin, namespace: {}}}}}
)",
                                                       ns));
    const std::string both =
        fmt::format("KUBECONFIG={}:{}", mine, kube_servers().kubeconfig("admin"));
    EXPECT_EQ(sh(both + " kubectl ome get tm chat -o yaml").code, 0) << "the context's namespace";
    EXPECT_EQ(sh(both + " kubectl get tm chat").code, 0) << "so does kubectl itself";
    EXPECT_THAT(sh(both + " kubectl ome get tm chat --context admin").err,
                HasSubstr("get trafficmaps default/chat: NotFound"));
    EXPECT_THAT(sh(both + " kubectl ome get tm chat -n other").err, HasSubstr("other/chat"));
    EXPECT_EQ(sh("KUBECONFIG=/nowhere kubectl ome get tm chat -n $NS --kubeconfig " +
                 kube_servers().kubeconfig("admin"))
                  .code,
              0);
    EXPECT_THAT(sh("unset KUBECONFIG; kubectl ome get tm").err, HasSubstr("/.kube/config"));
    EXPECT_EQ(sh(fmt::format("unset KUBECONFIG; kubectl ome get tm chat -n $NS --server "
                             "https://127.0.0.1:{} --certificate-authority {} --token {}",
                             kube_servers().port(),
                             kube_servers().authority_file(),
                             KubeServers::token_of("admin")))
                  .code,
              0);
}

TEST_F(PluginTest, ShowsTheHomesOfAService) {
    const Ran ran = sh("kubectl ome placement endpoint chat -n $NS -o wide");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(field_of(ran.out, "TrafficMap state"), "Observed");
    EXPECT_EQ(field_of(ran.out, "Routing freshness"), "Current");
    EXPECT_EQ(field_of(ran.out, "Published"), "True: Published (Current)");
    EXPECT_EQ(field_of(ran.out, "Publisher"), "ReportedTrue");
    EXPECT_EQ(field_of(ran.out, "Route home"), "worker-a");
    EXPECT_EQ(field_of(ran.out, "Final weight"), "1; healthy=true");
    EXPECT_EQ(field_of(ran.out, "Allocated count"), "2 (Reported)");
    ASSERT_TRUE(
        run(io, client->remove(object_path(kube::traffic_maps, ns, "chat"), {})).has_value());
    const Ran without = sh("kubectl ome placement endpoint chat -n $NS");
    EXPECT_EQ(without.code, 0);
    EXPECT_EQ(field_of(without.out, "TrafficMap state"), "Unavailable");
    EXPECT_EQ(field_of(without.out, "TrafficMap reason"), "NotFound");
}

TEST_F(PluginTest, SaysWhyAWeightIsZeroAndWhichMapIsWorst) {
    annotate("ome.io/traffic-drain",
             R"({"maintenance-a":{"cluster":"worker-a","reason":"planned maintenance"}})");
    write_map({entry("worker-a", 0, "maintenance-a"), entry("worker-b", 1)});
    const Ran why = sh("kubectl ome traffic why chat -n $NS");
    EXPECT_EQ(why.code, 0) << why.err;
    EXPECT_THAT(why.out, HasSubstr("worker-a has weight 0: Drained"));
    EXPECT_THAT(why.out, HasSubstr("maintenance-a (planned maintenance)"));
    EXPECT_THAT(
        why.out,
        HasSubstr(fmt::format("kubectl ome traffic undrain chat -n {} --id maintenance-a", ns)));
    const Ran one = sh("kubectl ome traffic why chat -n $NS --cluster worker-b -o json");
    EXPECT_EQ(json::parse(one.out).at("clusters").at(0).at("cluster"), "worker-b");
    const Ran top = sh("kubectl ome traffic top -n $NS");
    EXPECT_EQ(top.code, 0) << top.err;
    EXPECT_THAT(lines_of(top.out).at(0), HasSubstr("1 map: 1 Drained"));
    EXPECT_THAT(cells_of(lines_of(top.out).back()), Contains("chat"));
}

TEST_F(PluginTest, LinksStandBesideAnotherPlugin) {
    path = links({"kubectl-ome-traffic",
                  "kubectl-ome-placement-endpoint",
                  "kubectl-ome-get-trafficmaps",
                  "kubectl-ome-get-tm"});
    const std::string other = path + "/kubectl-ome";
    ASSERT_EQ(
        sh("printf '#!/bin/sh\\necho other: \"$@\"\\n' >" + other + "; chmod +x " + other).code, 0);
    EXPECT_EQ(sh("kubectl ome version --short").out, "other: version --short\n");
    EXPECT_EQ(sh("kubectl ome get nodes").out, "other: get nodes\n");
    EXPECT_THAT(sh("kubectl ome get trafficmaps chat -n $NS").out, HasSubstr("chat   All"));
    EXPECT_THAT(sh("kubectl ome get tm -n $NS").out, HasSubstr("chat   All"));
    EXPECT_THAT(sh("kubectl ome placement endpoint chat -n $NS").out, HasSubstr("Observed"));
    EXPECT_THAT(sh("kubectl ome traffic status chat -n $NS").out, HasSubstr("worker-b"));
    EXPECT_EQ(sh("kubectl ome placement explain chat").out, "other: placement explain chat\n");
}

TEST_F(PluginTest, KubectlCompletesThroughIt) {
    const auto complete = [this](const std::string& words) {
        const Ran ran = sh("kubectl __complete ome " + words);
        EXPECT_EQ(ran.code, 0) << ran.err;
        return lines_of(ran.out);
    };
    EXPECT_THAT(complete("traffic dr"), ElementsAre("drain", "drain-cluster", ":4"));
    EXPECT_THAT(complete("traffic why -n $NS ''"), ElementsAre("chat", ":4"));
    EXPECT_THAT(complete("get tm -n $NS ''"), ElementsAre("chat", ":4"));
    EXPECT_THAT(complete("traffic drain chat -n $NS --workload-cluster worker-"),
                ElementsAre("worker-a", "worker-b", ":4"));
    EXPECT_THAT(complete("traffic why -n $NS --token nobody-s ''"), ElementsAre(":4"));
}

TEST_F(PluginTest, FollowsWhatChangesUntilItIsInterrupted) {
    for (const char* user : {"admin", "stranger"}) {
        if (std::string(user) == "stranger") {
            let_read(user);  // without watch, as OME's reader role
        }
        const auto watch = started("kubectl ome traffic watch -n $NS --initial", user);
        ASSERT_TRUE(watch->wait_for_line("a new map with 2 homes", kube_patience))
            << watch->output();
        write_map({entry("worker-a", 0, "m"), entry("worker-b", 1)});
        EXPECT_TRUE(watch->wait_for_line("worker-a 1 -> 0: drained by m", kube_patience))
            << watch->output();
        write_map({entry("worker-a", 1), entry("worker-b", 1)});
        EXPECT_TRUE(watch->wait_for_line("worker-a 0 -> 1", kube_patience)) << watch->output();
        watch->signal(SIGINT);
        EXPECT_EQ(watch->wait_for_exit(kube_patience), 0) << watch->output();
    }
}

}  // namespace
}  // namespace ome::test
