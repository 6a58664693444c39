// `traffic top` and `traffic watch`.
#include "kubectl/fake_cluster.hpp"
#include "map_change.hpp"
#include "map_state.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kubectl::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

json::object gated(json::object entry) {
    entry["weight"] = 0;
    entry["healthy"] = false;
    entry["probe"] = json::object{{"policyDigest", "sha256:" + std::string(64, 'a')},
                                  {"result", "Failing"},
                                  {"gated", true},
                                  {"consecutiveFailures", 3},
                                  {"message", "HTTP 503"}};
    return entry;
}

json::object condition(const char* type, const char* status, const char* reason) {
    return {{"type", type},
            {"status", status},
            {"reason", reason},
            {"message", "m"},
            {"observedGeneration", 4},
            {"lastTransitionTime", "2026-10-01T11:00:00Z"}};
}

class Top : public testing::Test {
protected:
    json::object& add(const std::string& name, json::array entries) {
        const json::value service = sample_service("prod", name);
        world.cluster.put(Kind::InferenceService, service);
        world.cluster.put(Kind::TrafficMap, sample_map(service, std::move(entries)));
        return world.cluster.objects.at({Kind::TrafficMap, {"prod", name}}).as_object();
    }
    static void set(json::object& map, json::object condition) {
        map["status"].as_object()["conditions"].as_array().push_back(std::move(condition));
    }

    World world;
};

TEST_F(Top, TheWorstComesFirst) {
    add("fine", {sample_entry("worker-a", 1)});
    add("gated", {gated(sample_entry("worker-a", 0)), sample_entry("worker-b", 1)});
    set(add("dark", {sample_entry("worker-a", 0)}),
        condition("Routable", "False", "AllHomesUnready"));
    set(add("unpublished", {sample_entry("worker-a", 1)}),
        condition("Published", "False", "ApplyFailed"));
    json::object fallback = sample_entry("worker-a", 1);
    fallback["capacity"].as_object()["fallbackReason"] = "no capacity report yet";
    add("fallback", {fallback});
    add("frozen", {sample_entry("worker-a", 1)});
    world.cluster.objects.at({Kind::InferenceService, {"prod", "frozen"}})
        .as_object()["metadata"]
        .as_object()["annotations"] = json::object{{"ome.io/traffic-drain", "[]"}};
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0) << world.terminal.errors;
    const auto all = lines_of(world.terminal.output);
    ASSERT_EQ(all.size(), 2U + 6U);
    EXPECT_THAT(all[0],
                HasSubstr("6 maps: 1 NotRoutable, 1 Frozen, 1 Unpublished, 1 Gated, 1 "
                          "Fallback, 1 Fine"));
    EXPECT_THAT(cells_of(all[2]), testing::Contains("dark"));
    EXPECT_THAT(all[3], HasSubstr("parse ome.io/traffic-drain: top-level value"));
    EXPECT_THAT(all[4], HasSubstr("False ApplyFailed"));
    EXPECT_EQ(cells_of(all[5]),
              (std::vector<std::string>{"gated", "Gated", "1/2", "1", "0", "0", "-", "worker-a"}));
    EXPECT_THAT(all[7], HasSubstr("Fine"));
}

TEST_F(Top, ARoutedServiceWithoutAMapIsTold) {
    add("fine", {sample_entry("worker-a", 1)});
    for (const char* name : {"frozen", "new", "unrouted"}) {
        world.cluster.put(Kind::InferenceService, sample_service("prod", name));
    }
    const auto at = [&](const char* name) -> json::object& {
        return world.cluster.objects.at({Kind::InferenceService, {"prod", name}}).as_object();
    };
    at("frozen")["spec"].as_object()["placement"].as_object()["mode"] = "Al";
    at("unrouted")["spec"].as_object()["routing"] = json::object{{"enabled", false}};
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0) << world.terminal.errors;
    const auto all = lines_of(world.terminal.output);
    ASSERT_EQ(all.size(), 2U + 3U) << world.terminal.output;
    EXPECT_THAT(all[0], HasSubstr("1 map: 2 NoMap, 1 Fine"));
    EXPECT_THAT(all[2], testing::StartsWith("frozen"));
    EXPECT_THAT(all[2], HasSubstr("none can be made: validate placement intent: "));
    EXPECT_THAT(all[3], HasSubstr("is routing on, and does a controller lead?"));
}

TEST_F(Top, GatesThatAreIgnoredAreTold) {
    json::object first = gated(sample_entry("worker-a", 0));
    json::object second = gated(sample_entry("worker-b", 0));
    add("dark", {first, second});
    first["weight"] = 1;
    second["weight"] = 1;
    add("kept", {first, second});
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0) << world.terminal.errors;
    const auto all = lines_of(world.terminal.output);
    EXPECT_THAT(all[2], testing::EndsWith("worker-a, worker-b"));
    EXPECT_THAT(all[3],
                testing::EndsWith("worker-a, worker-b; gates are ignored: all homes are gated, and "
                                  "PreserveTraffic keeps their weights"));
    world.terminal.output.clear();
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod -o json"), 0);
    EXPECT_EQ(json::parse(world.terminal.output).at("items").at(1).at("gatesIgnored"), 2);
}

TEST_F(Top, APublicationThatIsWithdrawnOnPurposeIsNoTrouble) {
    const json::object withdrawn = condition("Published", "False", "Withdrawn");
    set(add("fine", {sample_entry("worker-a", 1)}), withdrawn);
    set(add("gated", {gated(sample_entry("worker-a", 0)), sample_entry("worker-b", 1)}), withdrawn);
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0) << world.terminal.errors;
    const auto all = lines_of(world.terminal.output);
    EXPECT_THAT(all[0], HasSubstr("2 maps: 1 Gated, 1 Fine"));
    EXPECT_THAT(all[3], HasSubstr("False Withdrawn")) << "it can still be seen";
}

TEST_F(Top, AWithdrawalOfAnOlderMapIsNoTroubleEither) {
    json::object& map = add("fine", {sample_entry("worker-a", 1)});
    set(map, condition("Published", "False", "Withdrawn"));
    map["metadata"].as_object()["generation"] = 5;
    map["status"].as_object()["observedTrafficMapGeneration"] = 4;
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0) << world.terminal.errors;
    EXPECT_THAT(lines_of(world.terminal.output)[0], HasSubstr("1 map: 1 Fine"));
}

TEST_F(Top, ADrainThatIsNotInForceIsTold) {
    add("chat", {sample_entry("worker-a", 1)});
    world.cluster.objects.at({Kind::InferenceService, {"prod", "chat"}})
        .as_object()["metadata"]
        .as_object()["annotations"] = json::object{
        {"ome.io/traffic-drain", R"({"while-down":{"cluster":"worker-a","reason":"r"}})"}};
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0) << world.terminal.errors;
    const auto all = lines_of(world.terminal.output);
    EXPECT_THAT(all[0], HasSubstr("1 map: 1 Behind"));
    EXPECT_THAT(all[2], HasSubstr("the map does not hold drain while-down yet"));
}

TEST_F(Top, AServiceInShadowIsMarked) {
    add("chat", {sample_entry("worker-a", 1)});
    world.cluster.objects.at({Kind::InferenceService, {"prod", "chat"}})
        .as_object()["metadata"]
        .as_object()["annotations"] = json::object{{"ome-observer/shadow", "true"}};
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0);
    EXPECT_THAT(lines_of(world.terminal.output)[2], HasSubstr("in shadow: readings do not count"));
    world.terminal.output.clear();
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod -o json"), 0);
    EXPECT_EQ(json::parse(world.terminal.output).at("items").at(0).at("shadow"), true);
}

TEST_F(Top, StaysOnAScreenUntilInterrupted) {
    add("chat", {sample_entry("worker-a", 1)});
    world.terminal.screen = true;
    world.terminal.interrupt_after = 0;
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0);
    EXPECT_THAT(world.terminal.output, testing::StartsWith("\x1b[H\x1b[2J"));
    world.terminal.output.clear();
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod --once -o json"), 0);
    EXPECT_EQ(json::parse(world.terminal.output).at("kind"), "TrafficTop");
    EXPECT_EQ(world.run("kubectl ome traffic top --interval 1ms"), 1);
}

TEST_F(Top, AScreenFollowsAWatchAndAsksForNothingElse) {
    json::value drained = add("chat", {sample_entry("worker-a", 1), sample_entry("worker-b", 1)});
    json::object held = sample_entry("worker-b", 0);
    held["drainRefs"] = json::array{"m"};
    drained.as_object()["spec"].as_object()["entries"].as_array()[1] = held;
    world.cluster.changes.push_back({Change{{"prod", "chat"}, drained}});
    world.terminal.screen = true;
    world.terminal.interrupt_at = "1 map: 1 Drained";
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod --interval 200ms"), 0);
    EXPECT_THAT(world.terminal.output, HasSubstr("1 map: 1 Fine"));
    EXPECT_THAT(world.cluster.requests,
                ElementsAre("watch TrafficMap prod", "watch InferenceService prod"));
    world.cluster.failures = {
        {"watch InferenceService", {.what = Failure::Forbidden, .said = "User bob cannot"}}};
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 0);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("warning: list inferenceservices: Forbidden (User bob cannot)"));
    world.cluster.failures = {{"watch TrafficMap", {Failure::Unavailable, "away"}}};
    EXPECT_EQ(world.run("kubectl ome traffic top -n prod"), 1);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("error: list trafficmaps prod: Unavailable (away)"));
}

TEST_F(Top, WatchTellsWhatChangesAndWhy) {
    json::object& map = add("chat", {sample_entry("worker-a", 1), sample_entry("worker-b", 1)});
    const core::ServiceKey key{"prod", "chat"};
    json::value before = map;
    json::value stamps = before;
    stamps.as_object()["metadata"].as_object()["resourceVersion"] = "56";
    json::value after = before;
    after.as_object()["spec"].as_object()["entries"] =
        json::array{gated(sample_entry("worker-a", 1)), sample_entry("worker-b", 1)};
    json::value drained = after;
    json::object held = sample_entry("worker-b", 0);
    held["drainRefs"] = json::array{"m"};
    drained.as_object()["spec"].as_object()["entries"].as_array()[1] = held;
    const auto tell = [&](const json::value& object) {
        world.cluster.changes.push_back(std::vector<Change>{Change{key, object}});
    };
    for (const json::value& state : {before, stamps, after, drained, json::value(nullptr)}) {
        tell(state);
    }
    world.tick = 100ms;
    EXPECT_EQ(world.run("kubectl ome traffic watch -n prod --timeout 3s"), 0);
    std::vector<std::string> told;
    for (const std::string& line : lines_of(world.terminal.output)) {
        told.push_back(line.substr(line.find("prod/chat") + 11));
    }
    EXPECT_THAT(told,
                ElementsAre("worker-a 1 -> 0: gated by probe (HTTP 503, 3 failures)",
                            "worker-b 1 -> 0: drained by m",
                            "the map is gone"));
    world.terminal.output.clear();
    tell(before);
    EXPECT_EQ(world.run("kubectl ome traffic watch -n prod --initial --timeout 1s -o json"), 0);
    EXPECT_EQ(json::parse(lines_of(world.terminal.output).at(0)).at("change"),
              "a new map with 2 homes");
}

}  // namespace
}  // namespace ome::kubectl::test
