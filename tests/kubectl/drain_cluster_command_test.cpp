#include "kubectl/fake_cluster.hpp"
#include "members.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kubectl::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* drain = "kubectl ome traffic drain-cluster worker-a --reason upgrade";

class DrainCluster : public testing::Test {
protected:
    DrainCluster() {
        add("chat", {sample_entry("worker-a", 1), sample_entry("worker-b", 1)});
        add("search", {sample_entry("worker-a", 2), sample_entry("worker-b", 0)});
        add("other", {sample_entry("worker-b", 1)});
        world.tick = 1s;
    }

    void add(const std::string& name, json::array entries) {
        const json::value service = sample_service("prod", name);
        world.cluster.put(Kind::InferenceService, service);
        world.cluster.put(Kind::TrafficMap, sample_map(service, std::move(entries)));
    }

    std::string drains_of(const std::string& name) {
        return text_at(world.cluster.objects.at({Kind::InferenceService, {"prod", name}}),
                       {"metadata", "annotations", "ome.io/traffic-drain"});
    }

    // What the controller will do, and the publisher after it.
    Change follow(const std::string& name) {
        const core::ServiceKey key{"prod", name};
        json::object map = world.cluster.objects.at({Kind::TrafficMap, key}).as_object();
        for (json::value& entry : map["spec"].as_object()["entries"].as_array()) {
            if (entry.at("cluster") == "worker-a") {
                entry.as_object()["weight"] = 0;
                entry.as_object()["drainRefs"] = json::array{"cluster-worker-a"};
            }
        }
        return {key, map};
    }

    World world;
};

TEST_F(DrainCluster, DrainsEveryServiceWithAHomeThere) {
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0) << world.terminal.errors;
    constexpr const char* drained =
        R"({"cluster-worker-a":{"cluster":"worker-a","reason":"upgrade"}})";
    EXPECT_EQ(drains_of("chat"), drained);
    EXPECT_EQ(drains_of("search"), drained);
    EXPECT_EQ(drains_of("other"), "");
    EXPECT_EQ(world.terminal.output, "prod/chat drained\nprod/search drained\n");
    EXPECT_EQ(world.run("kubectl ome traffic undrain-cluster worker-a --yes"), 0);
    EXPECT_EQ(drains_of("chat"), "");
    EXPECT_EQ(drains_of("search"), "");
}

TEST_F(DrainCluster, WarnsOfTheLastServingHomeAndAsks) {
    EXPECT_EQ(world.run(drain), 1) << "nobody to ask";
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("warning: worker-a is the last serving home of prod/search"));
    EXPECT_THAT(world.terminal.errors, Not(HasSubstr("home of prod/chat")));
    EXPECT_THAT(world.cluster.patches, IsEmpty());
    world.terminal.person = true;
    world.terminal.answers = {{Line::End::Complete, "n"}, {Line::End::Complete, "y"}};
    EXPECT_EQ(world.run(drain), 1);
    EXPECT_EQ(world.run(drain), 0);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("Drain worker-a out of 2 services as cluster-worker-a, 1 of which loses "
                          "its last serving home? [y/N]"));
}

TEST_F(DrainCluster, LeavesTheLastOnesAloneWhenTold) {
    EXPECT_EQ(world.run(std::string(drain) + " --skip-last --yes"), 0);
    EXPECT_EQ(world.terminal.output, "prod/chat drained\n");
    EXPECT_EQ(drains_of("search"), "");
}

TEST_F(DrainCluster, TriesAgainWhenSomebodyElseWrites) {
    int others = 0;
    world.cluster.meanwhile = [&others](FakeCluster& cluster) {
        if (cluster.requests.back() == "patch InferenceService prod/chat" && others++ < 3) {
            cluster.objects.at({Kind::InferenceService, {"prod", "chat"}})
                .as_object()["metadata"]
                .as_object()["resourceVersion"] = std::to_string(others);
        }
    };
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0) << world.terminal.errors;
    EXPECT_NE(drains_of("chat"), "");
}

TEST_F(DrainCluster, OneServiceThatFailsHoldsUpNoOther) {
    world.cluster.objects.at({Kind::InferenceService, {"prod", "chat"}})
        .as_object()["metadata"]
        .as_object()["annotations"] = json::object{{"ome.io/traffic-drain", "[]"}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("error: prod/chat: traffic action refused"));
    EXPECT_NE(drains_of("search"), "");
}

TEST_F(DrainCluster, WaitsUntilTheRoutesFollow) {
    world.cluster.changes = {{follow("chat")}, {follow("search")}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes --wait"), 0) << world.terminal.errors;
    EXPECT_THAT(world.terminal.errors, HasSubstr("maps 0/2, routes 0/2\n"));
    EXPECT_THAT(world.terminal.errors, HasSubstr("maps 1/2, routes 1/2\n"));
    EXPECT_THAT(world.terminal.errors, HasSubstr("maps 2/2, routes 2/2\n"));
    EXPECT_THAT(world.cluster.requests, Not(Contains(StartsWith("get TrafficMap"))))
        << "the watch tells them all";
}

TEST_F(DrainCluster, AMapThatIsGoneIsNotWaitedForButOneThatCannotBeReadIs) {
    const core::ServiceKey chat{"prod", "chat"};
    world.cluster.changes = {{follow("search"), Change{chat, nullptr}}};
    world.cluster.failures = {{"get TrafficMap", {Failure::Forbidden}}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes --wait --timeout 20s"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("error: prod/chat has not followed"));

    world.cluster.failures.clear();
    world.terminal.errors.clear();
    world.cluster.changes = {{Change{chat, nullptr}}};
    world.cluster.meanwhile = [&chat](FakeCluster& cluster) {
        if (cluster.requests.back() == "get TrafficMap prod/chat") {
            cluster.remove(Kind::TrafficMap, chat);
        }
    };
    EXPECT_EQ(world.run("kubectl ome traffic drain-cluster worker-a --reason upgrade --id second "
                        "--yes --wait --timeout 20s"),
              1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("error: prod/search has not followed"));
    EXPECT_THAT(world.terminal.errors, Not(HasSubstr("prod/chat has not followed")));
}

TEST_F(DrainCluster, WithoutTheRightToWatchItSaysSo) {
    world.cluster.failures = {{"watch TrafficMap", {Failure::Forbidden}}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes --wait"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("error: watch trafficmaps: Forbidden"));
}

TEST_F(DrainCluster, ARouteThatStaysBehindIsWaitedFor) {
    json::object& status = world.cluster.objects.at({Kind::TrafficMap, {"prod", "chat"}})
                               .as_object()["status"]
                               .as_object();
    status["conditions"] = json::array{json::object{{"type", "Published"}, {"status", "False"}}};
    status["observedTrafficMapGeneration"] = 3;
    world.cluster.changes = {{follow("chat"), follow("search")}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes --wait --timeout 20s"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("maps 2/2, routes 1/2\n"));
    EXPECT_THAT(world.terminal.errors, HasSubstr("error: prod/chat has not followed"));
    EXPECT_THAT(world.terminal.errors, Not(HasSubstr("prod/search has not followed")));
}

TEST_F(DrainCluster, SaysWhenThereIsNothingToDo) {
    EXPECT_EQ(world.run("kubectl ome traffic drain-cluster worker-x --reason r --yes"), 1);
    EXPECT_EQ(
        world.terminal.errors,
        "error: no map has a home on worker-x; known clusters: worker-a, worker-b; did you mean "
        "worker-a?\n");
    EXPECT_EQ(world.run(std::string(drain) + " --yes -n empty"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("on worker-a; known clusters: none\n"));
    EXPECT_EQ(world.run("kubectl ome traffic undrain-cluster worker-a --yes"), 0);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("no service has a drain of worker-a named cluster-worker-a"));
    EXPECT_EQ(world.run("kubectl ome traffic drain-cluster worker-a --yes"), 1) << "no reason";
    EXPECT_THAT(world.terminal.errors, HasSubstr("non-secret\nhint: --reason is missing; "));
    EXPECT_EQ(world.run("kubectl ome traffic drain-cluster --reason r"), 1);
}

TEST_F(DrainCluster, TakesNoDrainOffAClusterThatNobodyKnows) {
    EXPECT_EQ(world.run("kubectl ome traffic undrain-cluster worker-q --yes"), 1);
    EXPECT_EQ(world.terminal.errors,
              "error: no map has a home, and no service a drain, on worker-q; known clusters: "
              "worker-a, worker-b; did you mean worker-a?\n");
    world.cluster.failures = {{"list TrafficMap", {Failure::Forbidden}}};
    EXPECT_EQ(world.run("kubectl ome traffic undrain-cluster worker-q --yes"), 0);
}

TEST_F(DrainCluster, AClusterThatOnlyADrainNamesIsKnown) {
    EXPECT_EQ(world.run("kubectl ome traffic drain chat -n prod --workload-cluster worker-z --id z "
                        "--reason r --yes"),
              0);
    EXPECT_EQ(world.run("kubectl ome traffic undrain-cluster worker-z --yes"), 0)
        << world.terminal.errors;
    EXPECT_THAT(world.terminal.errors, HasSubstr("no service has a drain of worker-z named"));
}

TEST_F(DrainCluster, AsksOfOneServiceAndOfSeveral) {
    world.terminal.person = true;
    world.terminal.answers = {{Line::End::Complete, "n"}, {Line::End::Complete, "n"}};
    EXPECT_EQ(world.run(drain), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr(" out of 2 services as cluster-worker-a"));
    world.cluster.remove(Kind::TrafficMap, {"prod", "search"});
    EXPECT_EQ(world.run(drain), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr(" out of 1 service as cluster-worker-a"));
}

TEST_F(DrainCluster, AnInterruptAtTheQuestionIsToldAsOne) {
    world.terminal.person = true;
    world.terminal.answers = {{Line::End::Interrupted}, {Line::End::TimedOut}};
    EXPECT_EQ(world.run(drain), 1);
    EXPECT_THAT(world.terminal.errors, EndsWith("error: context canceled\n"));
    EXPECT_EQ(world.run(drain), 1);
    EXPECT_THAT(world.terminal.errors, EndsWith("error: context deadline exceeded\n"));
    EXPECT_THAT(world.cluster.patches, IsEmpty());
}

TEST_F(DrainCluster, OutputThatIsCutOffIsAFailure) {
    world.terminal.broken_output = true;
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 1);
    EXPECT_THAT(world.terminal.errors,
                EndsWith("error: write traffic action result failed; check traffic status\n"));
    EXPECT_NE(drains_of("chat"), "") << "it is done all the same";
}

TEST_F(DrainCluster, ARefusalIsToldInTheServersWords) {
    world.cluster.failures = {
        {"patch", {.what = Failure::Forbidden, .said = R"(User "bob" cannot patch)"}}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 1);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr(R"(error: prod/chat: Forbidden (User "bob" cannot patch))"));
    world.cluster.failures = {
        {"list TrafficMap", {.what = Failure::Forbidden, .said = R"(User "bob" cannot list)"}}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 1);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr(R"(error: list TrafficMaps: Forbidden (User "bob" cannot list))"));
}

TEST_F(DrainCluster, DrainsThatAreThereKeepTheirEnd) {
    const Change held = follow("chat");
    world.cluster.put(Kind::TrafficMap, held.object);
    EXPECT_EQ(world.run(std::string(drain) + " --yes --for 30m"), 0) << world.terminal.errors;
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("warning: 1 service is drained as cluster-worker-a already and keeps its "
                          "own end: --for changes nothing there\n"));
    world.terminal.errors.clear();
    world.terminal.output.clear();
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0);
    EXPECT_THAT(world.terminal.errors, Not(HasSubstr("own end")));
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("prod/search: drained already; its map has not followed yet\n"))
        << "the annotation is there, whatever the map holds";
    EXPECT_EQ(world.terminal.output, "");
}

TEST_F(DrainCluster, AHomeWhoseOnlyDrainLapsesIsALastOne) {
    json::object held = sample_entry("worker-a", 0);
    held["drainRefs"] = json::array{"d"};
    add("search", {held, sample_entry("worker-b", 0)});
    const auto annotate = [this](const char* until) {
        json::object annotations{
            {"ome.io/traffic-drain", R"({"d":{"cluster":"worker-a","reason":"r"}})"}};
        if (*until != 0) {
            annotations["ome.io/traffic-drain-expiry"] =
                std::string(R"({"d":{"cluster":"worker-a","reason":"r","until":")") + until +
                "\"}}";
        }
        world.cluster.objects.at({Kind::InferenceService, {"prod", "search"}})
            .as_object()["metadata"]
            .as_object()["annotations"] = annotations;
    };
    annotate("2026-10-01T14:00:00Z");
    EXPECT_EQ(world.run(std::string(drain) + " --skip-last --yes"), 0) << world.terminal.errors;
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("prod/search: skipped, worker-a is its last serving home"));
    EXPECT_EQ(world.terminal.output, "prod/chat drained\n");
    annotate("");
    world.terminal.output.clear();
    EXPECT_EQ(world.run(std::string(drain) + " --skip-last --yes --id second"), 0);
    EXPECT_THAT(world.terminal.output, HasSubstr("prod/search drained\n"))
        << "a drain without an end keeps the home at 0 anyway";
}

TEST_F(DrainCluster, WithoutAGatewayMapsAloneAreCounted) {
    for (const char* name : {"chat", "search"}) {
        json::object& status = world.cluster.objects.at({Kind::TrafficMap, {"prod", name}})
                                   .as_object()["status"]
                                   .as_object();
        status["conditions"] = json::array{
            json::object{{"type", "Published"}, {"status", "False"}, {"reason", "Withdrawn"}}};
        status["observedTrafficMapGeneration"] = 3;
    }
    world.cluster.changes = {{follow("chat")}, {follow("search")}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes --wait"), 0) << world.terminal.errors;
    EXPECT_THAT(world.terminal.errors, HasSubstr("maps 1/2\n"));
    EXPECT_THAT(world.terminal.errors, HasSubstr("maps 2/2\n"));
    EXPECT_THAT(world.terminal.errors, Not(HasSubstr("routes")));
}

TEST_F(DrainCluster, AFrozenMapIsWarnedOf) {
    world.cluster.objects.at({Kind::InferenceService, {"prod", "chat"}})
        .as_object()["metadata"]
        .as_object()["annotations"] = json::object{{"ome.io/cluster-selector", "x"}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0) << world.terminal.errors;
    EXPECT_THAT(world.terminal.errors, HasSubstr("warning: the map of prod/chat is frozen ("));
    EXPECT_THAT(world.terminal.errors, Not(HasSubstr("map of prod/search is frozen")));
}

TEST_F(DrainCluster, DryRunsOfTheServerAskNobody) {
    EXPECT_EQ(world.run(std::string(drain) + " --dry-run server"), 0) << world.terminal.errors;
    EXPECT_EQ(drains_of("chat"), "");
}

TEST_F(DrainCluster, DryRunsWriteNothing) {
    EXPECT_EQ(world.run(std::string(drain) + " --dry-run client"), 0);
    EXPECT_EQ(world.terminal.output,
              "prod/chat drained (dry run: client)\nprod/search drained (dry run: client)\n");
    EXPECT_THAT(world.cluster.patches, IsEmpty());
}

}  // namespace
}  // namespace ome::kubectl::test
