#include "kubectl/fake_cluster.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kubectl::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class GetCommand : public testing::Test {
protected:
    void put(const std::string& ns, const std::string& name) {
        json::value map = sample_map(sample_service(ns, name), {sample_entry("worker-a", 2)});
        const json::object routable{{"type", "Routable"},
                                    {"status", "True"},
                                    {"reason", "Routable"},
                                    {"observedGeneration", 4}};
        const json::object published{{"type", "Published"},
                                     {"status", "True"},
                                     {"reason", "Published"},
                                     {"observedGeneration", 4}};
        map.as_object()["status"].as_object()["conditions"] = json::array{routable, published};
        world.cluster.put(Kind::TrafficMap, map);
    }

    World world;
};

TEST_F(GetCommand, PrintsTheTableOfTheContract) {
    put("default", "chat");
    EXPECT_EQ(world.run("kubectl ome get trafficmaps"), 0);
    EXPECT_EQ(world.terminal.output,
              "NAME   MODE   TARGETS   ROUTABLE   PUBLISHED   AGE\n"
              "chat   All    1         True       True        3h\n");
}

TEST_F(GetCommand, TheNamespaceIsThatOfTheFlagThenOfTheContextThenDefault) {
    EXPECT_EQ(world.run("kubectl ome get tm"), 0);
    world.cluster.default_ns = "team-a";
    EXPECT_EQ(world.run("kubectl ome get tm"), 0);
    EXPECT_EQ(world.run("kubectl ome get tm -n prod"), 0);
    EXPECT_EQ(world.run("kubectl ome -n prod get tm"), 0);
    EXPECT_THAT(world.cluster.requests,
                ElementsAre("list TrafficMap default",
                            "list TrafficMap team-a",
                            "list TrafficMap prod",
                            "list TrafficMap prod"));
    EXPECT_THAT(world.terminal.errors, HasSubstr("No trafficmaps found in team-a namespace.\n"));
    EXPECT_THAT(world.terminal.output, IsEmpty());
}

TEST_F(GetCommand, PrintsObjectsAsKubernetesDoes) {
    put("prod", "chat");
    EXPECT_EQ(world.run("kubectl ome get tm chat -n prod -o json"), 0);
    const json::value object = json::parse(world.terminal.output);
    EXPECT_EQ(object.at("kind"), "TrafficMap");
    world.terminal.output.clear();
    EXPECT_EQ(world.run("kubectl ome get tm -n prod -o yaml"), 0);
    EXPECT_THAT(world.terminal.output,
                HasSubstr("apiVersion: v1\nitems:\n- apiVersion: ome.io/v1beta1\n"));
    EXPECT_THAT(world.terminal.output, HasSubstr("kind: List\nmetadata: {}\n"));
    world.terminal.output.clear();
    EXPECT_EQ(world.run("kubectl ome get tm -n nowhere -o json"), 0);
    EXPECT_EQ(json::parse(world.terminal.output).at("items"), json::array());
}

TEST_F(GetCommand, LeavesOutWhoWroteWhichField) {
    put("prod", "chat");
    world.cluster.objects.at({Kind::TrafficMap, {"prod", "chat"}})
        .as_object()["metadata"]
        .as_object()["managedFields"] = json::array{json::object{{"manager", "somebody"}}};
    for (const char* line :
         {"kubectl ome get tm chat -n prod -o json", "kubectl ome get tm -n prod -o yaml"}) {
        EXPECT_EQ(world.run(line), 0);
    }
    EXPECT_THAT(world.terminal.output, HasSubstr("resourceVersion"));
    EXPECT_THAT(world.terminal.output, testing::Not(HasSubstr("managedFields")));
}

TEST_F(GetCommand, ListsInPagesAndBeginsAgainOnceWhenATokenExpires) {
    for (int i = 0; i < 5; ++i) {
        put("prod", "m" + std::to_string(i));
    }
    world.cluster.page_size = 2;
    world.cluster.expired_pages = 1;
    EXPECT_EQ(world.run("kubectl ome get tm -n prod"), 0) << world.terminal.errors;
    EXPECT_THAT(lines_of(world.terminal.output), SizeIs(6));
    EXPECT_THAT(world.cluster.requests, SizeIs(2 + 3));
    world.cluster.expired_pages = 2;
    EXPECT_EQ(world.run("kubectl ome get tm -n prod"), 1);
}

TEST_F(GetCommand, GivesUpAListThatDoesNotEnd) {
    put("prod", "chat");
    world.cluster.further_pages = 5;
    EXPECT_EQ(world.run("kubectl ome get tm -A"), 0) << world.terminal.errors;
    world.cluster.further_pages = 100;
    EXPECT_EQ(world.run("kubectl ome get tm -A"), 1);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("list trafficmaps: Unreadable (page after page of the list is empty"));
}

TEST_F(GetCommand, FailuresAreWords) {
    world.cluster.failures = {
        {"list TrafficMap", {.what = Failure::Unauthorized, .said = "never shown here"}}};
    EXPECT_EQ(world.run("kubectl ome get tm -n team-a"), 1);
    EXPECT_EQ(world.terminal.errors, "error: list trafficmaps team-a: Unauthorized\n");
    world.terminal.errors.clear();
    world.cluster.failures = {{"get TrafficMap", {Failure::ApiMissing}}};
    EXPECT_EQ(world.run("kubectl ome get tm chat -n team-a"), 1);
    EXPECT_EQ(world.terminal.errors,
              "error: get trafficmaps team-a/chat: OMEAPIMissing (install OME first)\n");
    world.terminal.errors.clear();
    world.cluster.failures.clear();
    EXPECT_EQ(world.run("kubectl ome get tm chat -n team-a"), 1);
    EXPECT_EQ(world.terminal.errors, "error: get trafficmaps team-a/chat: NotFound\n");
    put("prod", "chat");
    world.terminal.errors.clear();
    EXPECT_EQ(world.run("kubectl ome get tm chat -n team-a"), 1);
    EXPECT_EQ(
        world.terminal.errors,
        "error: get trafficmaps team-a/chat: NotFound\nhint: there is a TrafficMap of this name "
        "in prod: -n prod\n");
    world.terminal.errors.clear();
    EXPECT_EQ(world.run("kubectl ome get tm none"), 1);
    EXPECT_EQ(world.terminal.errors, "error: get trafficmaps default/none: NotFound\n");
    world.terminal.errors.clear();
    world.cluster.failures = {{"list TrafficMap", {Failure::Forbidden}}};
    EXPECT_EQ(world.run("kubectl ome get tm chat"), 1);
    EXPECT_EQ(world.terminal.errors, "error: get trafficmaps default/chat: NotFound\n");
}

TEST_F(GetCommand, NamesSomeOfManyNamespacesThatHaveTheName) {
    for (const char* const ns : {"f", "e", "d", "c", "b", "a"}) {
        world.cluster.put(Kind::InferenceService, sample_service(ns));
    }
    EXPECT_EQ(world.run("kubectl ome placement endpoint chat -n none"), 1);
    EXPECT_EQ(world.terminal.errors,
              "error: InferenceService read unavailable: NotFound\nhint: there is an "
              "InferenceService of this name in a, b, c, d, e, ...: -n a\n");
}

TEST_F(GetCommand, WrongUsageAsksNobody) {
    for (const char* wrong : {"get",
                              "get pods",
                              "get tm/chat",
                              "get tm a b",
                              "get tm chat -l a=b",
                              "get tm -o xml",
                              "get tm Chat",
                              "get tm --bogus",
                              "paint",
                              ""}) {
        EXPECT_EQ(world.run(std::string("kubectl ome ") + wrong), 1) << wrong;
    }
    EXPECT_THAT(world.cluster.requests, IsEmpty());
}

}  // namespace
}  // namespace ome::kubectl::test
