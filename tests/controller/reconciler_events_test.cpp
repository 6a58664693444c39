// What people are told of a map, and a lead that ends in the middle of everything.
#include "reconciler_fixture.hpp"

#include <gmock/gmock.h>

namespace ome::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ReconcilerEvents : public ReconcilerTest {
protected:
    std::vector<std::string> reasons() const {
        std::vector<std::string> all;
        for (const controller::EventRecord& event : map_events) {
            all.push_back(event.reason);
        }
        return all;
    }
};

TEST_F(ReconcilerEvents, AGateIsToldWhenItIsInTheMap) {
    begin();
    put(routed_service());
    settle();
    gates = {{"worker-a", false}, {"worker-b", false}};
    sync();
    ASSERT_THAT(map_events, IsEmpty());
    gates["worker-b"] = true;
    fail_next = 1;
    tell();
    EXPECT_THAT(map_events, IsEmpty()) << "it was not written";
    advance(1s);
    ASSERT_THAT(map_events, SizeIs(1));
    EXPECT_EQ(map_events[0].reason, "GateClosed");
    EXPECT_EQ(map_events[0].map_uid, "map-uid");
    EXPECT_TRUE(map_events[0].warning);
    EXPECT_THAT(map_events[0].message, HasSubstr("worker-b"));
    gates["worker-b"] = false;
    tell();
    EXPECT_THAT(reasons(), ElementsAre("GateClosed", "GateLifted"));
    advance(60s);
    EXPECT_THAT(map_events, SizeIs(2)) << "nothing has changed";
}

TEST_F(ReconcilerEvents, ADrainIsToldOfTheMap) {
    begin();
    auto service = routed_service();
    service.drains = R"({"m":{"cluster":"worker-a","reason":"r"}})";
    put(service);
    settle();
    EXPECT_THAT(reasons(), ElementsAre("DrainApplied"));
    service.drains.reset();
    put(service);
    settle();
    EXPECT_THAT(reasons(), ElementsAre("DrainApplied", "DrainRemoved"));
}

TEST_F(ReconcilerEvents, ALeadThatEndsLeavesNothingToWriteAndNothingToDeclare) {
    begin();
    put(routed_service());
    settle();
    gates = {{"worker-a", false}, {"worker-b", false}};
    sync();
    gates["worker-b"] = true;
    reconciler().changed(answer({"demo", "chat"}), clock.now());
    put(routed_service("other"));

    reconciler().start_over(clock.now());
    clock.advance(60s);
    const controller::Work work = reconciler().work(clock.now(), 1000);
    EXPECT_THAT(work.store, IsEmpty());
    EXPECT_FALSE(reconciler().next_request());
    EXPECT_FALSE(reconciler().next_wakeup());
    EXPECT_FALSE(reconciler().knows_everything());
    EXPECT_THAT(reconciler().statuses(), IsEmpty());
    EXPECT_GT(reconciler().counts(clock.now()).passes, 0U) << "counters go on";
}

TEST_F(ReconcilerEvents, TheNextLeadDecidesOnWhatIsThereThen) {
    begin();
    put(routed_service());
    put(routed_service("old"));
    settle();
    sync();
    reconciler().start_over(clock.now());

    // Another one led meanwhile: a service changed, one is gone with its map, a map was edited.
    auto changed = routed_service();
    changed.status->candidates.pop_back();
    ++changed.generation;
    services[changed.key] = std::make_shared<const routing::InferenceService>(changed);
    services.erase({"demo", "old"});
    maps.erase({"demo", "old"});
    auto edited = *maps[{"demo", "chat"}];
    edited.spec.entries[0].weight = 77;
    edited.meta.resource_version = "of-another";
    maps[changed.key] = std::make_shared<const routing::TrafficMap>(edited);

    tell_everything();
    settle();
    EXPECT_EQ(weights(), "1");
    EXPECT_EQ(map().spec.observed_isvc_generation, 2);
    EXPECT_THAT(maps, SizeIs(1)) << "nothing of the old lead comes back";
}

TEST_F(ReconcilerEvents, AnAnswerToTheOldLeadIsNoneToTheNew) {
    begin();
    put(routed_service());
    settle();
    const auto old = reconciler().next_request();
    ASSERT_TRUE(old);
    reconciler().start_over(clock.now());
    tell_everything();
    settle();
    const auto now = reconciler().next_request();
    ASSERT_TRUE(now);
    EXPECT_GT(now->ticket, old->ticket);
    reconciler().refused(old->key, old->ticket, {"an old policy"}, clock.now());
    settle();
    EXPECT_EQ(status().frozen, "");
}

}  // namespace
}  // namespace ome::test
