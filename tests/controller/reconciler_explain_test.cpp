#include "reconciler_fixture.hpp"
#include <ome/routing/explanation.hpp>

#include <gmock/gmock.h>

namespace ome::controller {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ReconcilerExplain : public test::ReconcilerTest {
protected:
    std::string explained() {
        const auto explanation = reconciler().explain({"demo", "chat"}, clock.now());
        return explanation ? routing::text_of(*explanation) : explanation.error().message;
    }

    static routing::InferenceService with_drain(const std::string& annotation) {
        routing::InferenceService service = test::routed_service();
        service.drains = annotation;
        return service;
    }
};

TEST_F(ReconcilerExplain, AFrozenMapByTheWeightsInForce) {
    begin();
    put(test::routed_service());
    settle();
    put(with_drain("[]"));
    settle();
    EXPECT_THAT(explained(),
                HasSubstr("frozen because parse ome.io/traffic-drain: top-level value must be a "
                          "JSON object keyed by override ID\nRoutable: 2 home(s) serving\n"
                          "worker-a 1: in force as stored: allocated 2, ready 2"));
    put(test::routed_service());
    settle();
    EXPECT_THAT(explained(), testing::Not(HasSubstr("frozen")));
}

TEST_F(ReconcilerExplain, AMapThatBelongsToSomeoneElse) {
    begin();
    put(test::routed_service());
    settle();
    routing::InferenceService anew = test::routed_service();
    anew.uid = "another";
    put(anew);
    settle();
    EXPECT_THAT(explained(),
                HasSubstr("frozen because TrafficMap demo/chat exists but is not controlled by"));
    EXPECT_THAT(explained(), HasSubstr("worker-b 1: in force as stored"));
}

TEST_F(ReconcilerExplain, SaysThatAServiceIsNotThere) {
    begin();
    EXPECT_EQ(explained(), "InferenceService demo/chat is not there");
}

TEST_F(ReconcilerExplain, AShadowIsObservedAndToldOncePerChange) {
    begin();
    routing::InferenceService service = test::routed_service();
    service.shadow = "true";
    put(service);
    settle();
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].reason, "ShadowWeights");
    EXPECT_FALSE(events[0].warning);
    EXPECT_EQ(events[0].message,
              "in shadow; the weights would be: worker-a 1 (now 1), worker-b 1 (now 1)");
    EXPECT_THAT(explained(), HasSubstr("\nin shadow: "));
    put(service);
    settle();
    EXPECT_THAT(events, SizeIs(1));
    service.shadow.reset();
    put(service);
    settle();
    EXPECT_THAT(explained(), testing::Not(HasSubstr("in shadow")));
    EXPECT_THAT(events, SizeIs(1));
}

TEST_F(ReconcilerExplain, SaysWhyAServiceIsNotRouted) {
    begin();
    routing::InferenceService service = test::routed_service();
    service.placement.reset();
    put(service);
    settle();
    EXPECT_EQ(explained(), "InferenceService demo/chat is not routed: spec.placement is absent");
}

const news::Unusable unusable{"inferenceservices/demo/chat.yaml:7",
                              core::ServiceKey{"demo", "chat"},
                              {"spec: 7 must be an object", "spec"},
                              {{"demo", "chat"}}};

TEST_F(ReconcilerExplain, AServiceWhoseManifestCannotBeUsedByItsLastGoodState) {
    begin();
    put(test::routed_service());
    settle();
    reconciler().hear(unusable, clock.now());
    EXPECT_THAT(explained(), HasSubstr("the last good state is in force, since "));
    EXPECT_THAT(explained(),
                HasSubstr(", because inferenceservices/demo/chat.yaml:7 cannot be used: spec: 7 "
                          "must be an object\nRoutable: 2 home(s) serving\nworker-a 1: admitted"));
    put(test::routed_service());
    EXPECT_THAT(explained(), testing::StartsWith("Routable: "));
}

TEST_F(ReconcilerExplain, AServiceThatWasNeverUsableByTheStoredMap) {
    begin();
    put(test::routed_service());
    settle();
    services.clear();
    restart();
    reconciler().hear(unusable, clock.now());
    settle();
    EXPECT_THAT(
        explained(),
        HasSubstr("cannot be used: spec: 7 must be an object\nfrozen because nothing usable "
                  "has been read of InferenceService demo/chat since the start\nRoutable: 2 "
                  "home(s) serving\nworker-a 1: in force as stored"));
}

TEST_F(ReconcilerExplain, AnAdmittedClusterThatIsNoHomeIsToldOncePerChange) {
    routing::InferenceService service = test::routed_service();
    service.status->candidates[1].endpoint = "worker-b.test:443";
    begin();
    put(service);
    settle();
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].reason, "EndpointNotUsable");
    EXPECT_THAT(events[0].message,
                HasSubstr("status.placement.candidates[1].endpoint: endpoint URL "
                          "\"worker-b.test:443\" must be absolute"));
    EXPECT_THAT(explained(), HasSubstr("\nnote: " + events[0].message + "\n"));
    EXPECT_EQ(maps.begin()->second->spec.entries.size(), 1U) << "as the contract has it";
    service.status->candidates[0].ready_replicas = 1;
    put(service);
    settle();
    EXPECT_THAT(events, SizeIs(1)) << "the same as before";
    service.status->candidates[1].endpoint = "https://worker-b.test";
    put(service);
    settle();
    EXPECT_THAT(events, SizeIs(1));
    EXPECT_THAT(explained(), testing::Not(HasSubstr("note: ")));
}

constexpr const char* for_x = R"({"m":{"cluster":"worker-x","reason":"r"}})";
constexpr const char* for_y = R"({"m":{"cluster":"worker-y","reason":"r"}})";

TEST_F(ReconcilerExplain, ADrainWithoutItsClusterIsToldOncePerChange) {
    const std::string sentence =
        "the drain \"m\" is for \"worker-x\", which is no candidate of status.placement (these "
        "are: "
        "\"worker-a\", \"worker-b\"): it stays pending";
    begin();
    put(with_drain(for_x));
    settle();
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].reason, "ClusterNotInPlacement");
    EXPECT_EQ(events[0].service_uid, "uid-chat");
    EXPECT_EQ(events[0].message, sentence);
    EXPECT_THAT(explained(), HasSubstr("\nnote: " + sentence + "\n"));
    const auto told = [this] {
        return std::count_if(notices.begin(), notices.end(), [](const Notice& notice) {
            return notice.level == Notice::Level::Warn;
        });
    };
    EXPECT_EQ(told(), 1);
    routing::InferenceService scaled = with_drain(for_x);
    scaled.status->candidates[0].ready_replicas = 1;
    put(scaled);
    settle();
    advance(std::chrono::seconds(60));
    EXPECT_EQ(told(), 1) << "the same as before";
    put(with_drain(for_y));
    settle();
    EXPECT_EQ(told(), 2);
    put(test::routed_service());
    settle();
    EXPECT_EQ(told(), 2);
    put(with_drain(for_y));
    settle();
    EXPECT_EQ(told(), 3) << "it was gone in between";
    EXPECT_THAT(events, SizeIs(3));
}

TEST_F(ReconcilerExplain, ManyWithoutEffectAreOneEventOfBoundedSize) {
    routing::InferenceService service = test::routed_service();
    service.routing.emplace();
    for (int i = 0; i < 500; ++i) {
        service.routing->capacity_factors["z" + std::to_string(i)] = "2";
    }
    begin();
    put(service);
    settle();
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_THAT(events[0].message, HasSubstr("(and 490 more)"));
    EXPECT_LT(events[0].message.size(), 4096U);
    EXPECT_THAT(reconciler().explain({"demo", "chat"}, clock.now())->notes, SizeIs(500));
}

}  // namespace
}  // namespace ome::controller
