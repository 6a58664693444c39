// The controller's decisions by value; the promises are those of its design.
#include "reconciler_fixture.hpp"
#include <ome/wire/inference_service_document.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>

namespace ome::test {
namespace {

using routing::CapacitySource;

TEST_F(ReconcilerTest, NothingIsWrittenBeforeEverythingIsKnown) {
    put(routed_service());
    settle();
    EXPECT_TRUE(maps.empty());
    reconciler().hear(controller::news::Listed{}, clock.now());
    settle();
    EXPECT_EQ(weights(), "1 1");
}

TEST_F(ReconcilerTest, TheGuidesExample) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 3}, {"worker-b", 1}};
    sync();
    EXPECT_EQ(weights(), "2 1");
    EXPECT_EQ(entry("worker-a").capacity.allocated, 2);
    EXPECT_EQ(entry("worker-a").capacity.source, CapacitySource::ControlPlane);
    EXPECT_EQ(entry("worker-a").capacity.reported, 3);
    EXPECT_EQ(entry("worker-b").capacity.allocated, 1);
    EXPECT_EQ(entry("worker-b").capacity.source, CapacitySource::Endpoint);
    EXPECT_EQ(entry("worker-b").capacity.reported, 1);
}

// The largest duration there is (292 years) ends beyond the end of the steady clock.
TEST_F(ReconcilerTest, AReadingThatHoldsForCenturiesIsLookedAtAgainByNobody) {
    settings.capacity.max_age = "2562047h47m16s";
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 3}, {"worker-b", 1}};
    sync();
    ASSERT_EQ(weights(), "2 1");
    wire::ServiceAnswer told = answer({"demo", "chat"});
    for (core::HomeReading& home : told.service.homes) {
        home.capacity->valid_until = clock.wall() + core::Duration::max();
    }
    reconciler().heard(clock.now());
    reconciler().changed(told, clock.now());
    advance(50ms);
    const auto passes = reconciler().counts(clock.now()).passes;
    reconciler().heard(clock.now());
    ASSERT_TRUE(reconciler().next_wakeup());
    EXPECT_GT(*reconciler().next_wakeup(), clock.steady() + 1s) << "of silence alone";
    for (int i = 0; i < 10; ++i) {
        reconciler().heard(clock.now());
        advance(1s);
    }
    EXPECT_EQ(reconciler().counts(clock.now()).passes, passes);
}

TEST_F(ReconcilerTest, AProbePeriodOfCenturiesHasASlotInTheFuture) {
    const core::SteadyTime now = clock.steady();
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
        EXPECT_GT(controller::next_slot({"demo", name}, core::Duration::max(), now), now) << name;
    }
    const core::SteadyTime slot = controller::next_slot({"demo", "a"}, 10s, now);
    EXPECT_GT(slot, now);
    EXPECT_LE(slot, now + 10s);
    EXPECT_EQ(controller::next_slot({"demo", "a"}, 10s, slot), slot + 10s) << "after now";
    EXPECT_EQ(controller::next_slot({"demo", "a"}, 10s, slot - 1ns), slot);
}

TEST_F(ReconcilerTest, AMapBelongsToItsServiceAndHasThreeConditions) {
    begin();
    put(routed_service());
    settle();
    EXPECT_TRUE(routing::exactly_owned(map(), {"demo", "chat"}, "uid-chat"));
    EXPECT_EQ(map().status.source_uid, "uid-chat");
    ASSERT_EQ(map().status.conditions.size(), 3U);
    EXPECT_EQ(map().status.conditions[0].type, "Routable");
    EXPECT_EQ(map().status.conditions[0].observed_generation, map().meta.generation);
    EXPECT_EQ(map().status.conditions[1].reason, "EndpointCapacityUnavailable");
    EXPECT_EQ(status().fallback_homes, 2);
}

TEST_F(ReconcilerTest, AnIdleFleetWritesNothing) {
    settings.probe = {};
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 2}, {"worker-b", 2}};
    sync();
    const std::size_t before = writes;
    for (int second = 0; second < 60; ++second) {
        reconciler().heard(clock.now());
        tell();
        advance(1s);
    }
    EXPECT_EQ(writes, before);
}

TEST_F(ReconcilerTest, StampsAloneAreWrittenAtMostOncePerInterval) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 2}, {"worker-b", 2}};
    gates = {{"worker-a", false}, {"worker-b", false}};
    sync();
    const std::size_t before = writes;
    for (int second = 0; second < 60; ++second) {
        tell();
        advance(950ms);
    }
    EXPECT_GE(writes - before, 5U);
    EXPECT_LE(writes - before, 7U);
    EXPECT_EQ(reconciler().counts(clock.now()).times_alone, writes - before);
}

TEST_F(ReconcilerTest, StampsTakeTurnsAndAGateDoesNotWaitForThem) {
    begin();
    for (int i = 0; i < 100; ++i) {
        put(routed_service("chat-" + std::to_string(i)));
    }
    put(routed_service());
    settle();
    gates = {{"worker-a", false}, {"worker-b", false}};
    sync();
    advance(2s);  // stamps are whole seconds
    for (const auto& [key, service] : services) {
        reconciler().changed(answer(key), clock.now());
    }
    advance(50ms);
    clock.advance(20s);  // by now all stamps are due
    gates["worker-b"] = true;
    reconciler().heard(clock.now());
    reconciler().changed(answer({"demo", "chat"}), clock.now());
    clock.advance(50ms);
    const controller::Work work = reconciler().work(clock.now(), 1000);
    bool gate_written = false;
    for (const controller::StoreRequest& request : work.store) {
        gate_written = gate_written || std::get<controller::MapWrite>(request).key.name == "chat";
    }
    EXPECT_TRUE(gate_written);
    EXPECT_LE(work.store.size(), 10U) << "and few of those that only carry stamps";
    EXPECT_GE(work.store.size(), 2U);
}

TEST_F(ReconcilerTest, AClosedGateIsWrittenAtOnce) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 2}, {"worker-b", 2}};
    gates = {{"worker-a", false}, {"worker-b", false}};
    sync();
    EXPECT_EQ(weights(), "1 1");
    gates["worker-b"] = true;
    tell();
    EXPECT_EQ(weights(), "1 0");
    EXPECT_EQ(entry("worker-b").probe->message, "HTTP 503");
}

TEST_F(ReconcilerTest, ManyReadingsTogetherAreOneWrite) {
    begin();
    put(routed_service());
    settle();
    sync();
    const std::size_t before = writes;
    for (std::int32_t ceiling = 0; ceiling < 3; ++ceiling) {
        ceilings = {{"worker-a", ceiling}, {"worker-b", ceiling}};
        reconciler().changed(answer({"demo", "chat"}), clock.now());
        settle();
    }
    EXPECT_EQ(writes, before);
    advance(50ms);
    EXPECT_EQ(writes, before + 1);
}

TEST_F(ReconcilerTest, Promise1AMissingReportLowersNothing) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 1}, {"worker-b", 1}};
    sync();
    ceilings.clear();
    tell();
    EXPECT_EQ(entry("worker-a").capacity.allocated, 2);
    EXPECT_EQ(entry("worker-a").capacity.fallback_reason, "no capacity report yet");
}

TEST_F(ReconcilerTest, Promise2AReportRaisesNothing) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 100}, {"worker-b", 100}};
    sync();
    EXPECT_EQ(entry("worker-a").capacity.allocated, 2);
}

TEST_F(ReconcilerTest, Promise4AGateOutlivesAnyRestart) {
    begin();
    put(routed_service());
    settle();
    gates = {{"worker-a", false}, {"worker-b", true}};
    sync();
    ASSERT_EQ(weights(), "1 0");
    gates.clear();  // the observer has forgotten everything, too
    restart();
    settle();
    EXPECT_EQ(weights(), "1 0") << "before the observer is heard";
    sync();
    ASSERT_TRUE(declared.at({"demo", "chat"}).homes[1].restored);
    EXPECT_TRUE(declared.at({"demo", "chat"}).homes[1].restored->gated);
    EXPECT_EQ(weights(), "1 0") << "from what it was given back";
}

TEST_F(ReconcilerTest, Promise4AnObserverThatStartsAnewGetsTheNewestGate) {
    begin();
    put(routed_service());
    settle();
    gates = {{"worker-a", false}, {"worker-b", true}};
    sync();
    const auto stamp = clock.wall();
    advance(3s);
    fail_next = 1000;  // the map stays behind
    gates["worker-b"] = false;
    tell();
    ASSERT_TRUE(maps.at({"demo", "chat"})->spec.entries[1].probe->gated);
    gates.clear();
    for (const core::ServiceKey& key : reconciler().begin_sync(clock.now())) {
        take(reconciler().request_for(key));
    }
    const auto& restored = declared.at({"demo", "chat"}).homes[1].restored;
    ASSERT_TRUE(restored);
    EXPECT_FALSE(restored->gated);
    EXPECT_GT(restored->last_probe_time, stamp);
}

TEST_F(ReconcilerTest, Promise5ADrainHoldsWhateverTheHomesSay) {
    begin();
    routing::InferenceService service = routed_service();
    service.drains = R"({"m":{"cluster":"worker-a","reason":"maintenance"}})";
    put(service);
    settle();
    EXPECT_EQ(weights(), "0 1");
    ceilings = {{"worker-a", 9}, {"worker-b", 0}};
    sync();
    EXPECT_EQ(weights(), "0 0");
    service.drains = R"({"m":{"cluster":)";
    put(service);
    settle();
    EXPECT_EQ(weights(), "0 0") << "a malformed drain undrains nothing";
    EXPECT_THAT(status().frozen, testing::StartsWith("parse ome.io/traffic-drain: "));
}

TEST_F(ReconcilerTest, Promise6SilenceOpensCapacityAndKeepsGates) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 1}, {"worker-b", 2}};
    gates = {{"worker-a", false}, {"worker-b", true}};
    sync();
    ASSERT_EQ(weights(), "1 0");
    advance(4s);
    EXPECT_EQ(entry("worker-a").capacity.allocated, 1);
    advance(1s);
    EXPECT_EQ(entry("worker-a").capacity.allocated, 2);
    EXPECT_EQ(entry("worker-a").capacity.fallback_reason,
              "capacity observation could not be submitted: observer has not answered for 5s");
    EXPECT_EQ(weights(), "1 0") << "the gate stays";
    routing::InferenceService drained = routed_service();
    drained.drains = R"({"m":{"cluster":"worker-a","reason":"maintenance"}})";
    put(drained);
    settle();
    EXPECT_EQ(weights(), "0 0") << "drains apply";
    reconciler().heard(clock.now());
    advance(0s);
    EXPECT_EQ(entry("worker-a").capacity.allocated, 1) << "and back at once";
}

TEST_F(ReconcilerTest, AtTheStartTheMapKeepsItsCapacityUntilTheObserverAnswers) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 1}, {"worker-b", 2}};
    sync();
    const std::size_t before = writes;
    restart();
    settle();
    EXPECT_EQ(writes, before) << "a restart changes nothing by itself";
    routing::InferenceService drained = routed_service();
    drained.drains = R"({"m":{"cluster":"worker-b","reason":"maintenance"}})";
    put(drained);
    settle();
    EXPECT_EQ(weights(), "1 0") << "a drain applies at once";
    EXPECT_EQ(entry("worker-a").capacity.reported, 1) << "beside the stored capacity";
    advance(5s);
    EXPECT_THAT(entry("worker-a").capacity.fallback_reason, testing::HasSubstr("not answered"));
}

TEST_F(ReconcilerTest, Promise8AForeignMapIsNeverTouched) {
    routing::TrafficMap foreign;
    foreign.meta.key = {"demo", "chat"};
    foreign.meta.uid = "somebody";
    foreign.meta.resource_version = "7";
    foreign.spec.service = "chat";
    maps[foreign.meta.key] = std::make_shared<const routing::TrafficMap>(foreign);
    begin();
    put(routed_service());
    settle();
    advance(2s);
    EXPECT_EQ(map(), foreign);
    EXPECT_EQ(status().frozen,
              "TrafficMap demo/chat exists but is not controlled by InferenceService UID "
              "\"uid-chat\"");
    ASSERT_EQ(events.size(), 1U) << "told once, however often it is tried";
    EXPECT_EQ(events[0].reason, "RoutingFrozen");
}

TEST_F(ReconcilerTest, AFreezeThatMayComeOfASlipSaysSo) {
    begin();
    auto bad = wire::read_inference_service(boost::json::parse(R"({
        "metadata":{"name":"chat","namespace":"demo","uid":"uid-chat","generation":3},
        "spec":{"placement":{"policy":"ClusterAffinity","mdoe":"All"},
                "routing":{"enabeld":true}}})"));
    ASSERT_TRUE(bad);
    put(*bad);
    settle();
    const std::string why =
        "validate placement intent: spec.placement.mode must explicitly select Single, All, "
        "Split, or SplitByCapacity; spec.placement.mdoe is not known and is ignored; did you mean "
        "mode?";
    EXPECT_EQ(status().frozen, why) << "and not the slip elsewhere";
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].message, why);
    const auto explained = reconciler().explain({"demo", "chat"}, clock.now());
    ASSERT_TRUE(explained);
    EXPECT_EQ(explained->frozen, why);
}

TEST_F(ReconcilerTest, AFreezeByThePolicyNamesASlipInIt) {
    begin();
    auto bad = wire::read_inference_service(boost::json::parse(R"({
        "metadata":{"name":"chat","namespace":"demo","uid":"uid-chat","generation":3},
        "spec":{"placement":{"policy":"ClusterAffinity","mode":"All"},
                "routing":{"probe":{"path":"/v1/models","method":"GET","acceptStatuses":[200],
                    "gateStatuses":[503],"perod":"10s","timeout":"3s","failureThreshold":3,
                    "successThreshold":2,"allFailedPolicy":"PreserveTraffic"}}}})"));
    ASSERT_TRUE(bad);
    put(*bad);
    settle();
    EXPECT_THAT(status().frozen,
                testing::EndsWith("; spec.routing.probe.perod is not known and is ignored; did you "
                                  "mean period?"));
}

TEST_F(ReconcilerTest, AFrozenServiceIsSuspendedAndGoesOnWhenItIsMended) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 1}, {"worker-b", 2}};
    sync();
    ASSERT_EQ(status().fallback_homes, 0);
    routing::InferenceService bad = routed_service();
    bad.placement->mode = "";
    put(bad);
    settle();
    exchange();
    EXPECT_TRUE(declared.at({"demo", "chat"}).suspended);
    EXPECT_EQ(status().frozen,
              "validate placement intent: spec.placement.mode must explicitly select Single, All, "
              "Split, or SplitByCapacity");
    EXPECT_EQ(status().fallback_homes, 0) << "the series keeps its last value";
    put(routed_service());
    settle();
    exchange();
    EXPECT_FALSE(declared.at({"demo", "chat"}).suspended);
    EXPECT_EQ(status().frozen, "");
}

// The gate closed while the map was frozen, so only what was read knows of it.
TEST_F(ReconcilerTest, Promise4AGateOutlivesAnObserverThatIsReplacedWhileTheServiceIsFrozen) {
    begin();
    put(routed_service());
    settle();
    gates = {{"worker-a", false}, {"worker-b", false}};
    sync();
    gates["worker-b"] = true;
    tell();
    maps.at({"demo", "chat"}) = [this] {
        auto open = *maps.at({"demo", "chat"});
        open.spec.entries.at(1).probe->gated = false;
        return std::make_shared<const routing::TrafficMap>(std::move(open));
    }();
    reconciler().hear(controller::news::MapIs{maps.at({"demo", "chat"})}, clock.now());
    routing::InferenceService frozen = routed_service();
    frozen.drains = "[]";
    put(frozen);
    settle();
    exchange();
    declared.clear();
    gates.clear();
    sync();
    put(routed_service());
    (void)reconciler().work(clock.now(), 10);
    const auto request = reconciler().next_request();
    ASSERT_TRUE(request && request->declaration);
    ASSERT_TRUE(request->declaration->homes.at(1).restored);
    EXPECT_TRUE(request->declaration->homes.at(1).restored->gated);
}

TEST_F(ReconcilerTest, WhatTheObserverRefusesFreezesTheMapWithItsWords) {
    begin();
    put(routed_service());
    settle();
    const std::string before = weights();
    for (const core::ServiceKey& key : reconciler().begin_sync(clock.now())) {
        const auto request = reconciler().request_for(key);
        reconciler().refused(key, request->ticket, {"probe.path is too long"}, clock.now());
    }
    reconciler().synced(clock.now());
    settle();
    EXPECT_EQ(status().frozen, "probe.path is too long");
    EXPECT_EQ(weights(), before);
    EXPECT_FALSE(reconciler().next_request()) << "not again at once";
    advance(10s);
    EXPECT_TRUE(reconciler().next_request()) << "but now and then";
}

TEST_F(ReconcilerTest, OptingOutDeletesTheMapAndForgetsTheHomes) {
    begin();
    put(routed_service());
    settle();
    sync();
    routing::InferenceService out = routed_service();
    out.routing = core::ServiceRoutingSettings{};
    out.routing->enabled = false;
    put(out);
    settle();
    exchange();
    EXPECT_TRUE(maps.empty());
    EXPECT_TRUE(declared.empty());
}

TEST_F(ReconcilerTest, AServiceThatCannotBeReadIsNotGone) {
    begin();
    put(routed_service());
    settle();
    routing::TrafficMap orphan = map();  // one that is ours to delete when the service is gone
    orphan.meta.owner_references.clear();
    maps[orphan.meta.key] = std::make_shared<const routing::TrafficMap>(orphan);
    services.clear();
    restart();  // and nobody says that it is gone
    settle();
    advance(10s);
    EXPECT_EQ(maps.size(), 1U);
    remove({"demo", "chat"});
    settle();
    EXPECT_TRUE(maps.empty());
}

TEST_F(ReconcilerTest, AHandEditIsUndone) {
    begin();
    put(routed_service());
    settle();
    routing::TrafficMap edited = map();
    edited.spec.entries[0].weight = 99;
    edited.meta.resource_version = "1000";
    ++edited.meta.generation;
    maps[edited.meta.key] = std::make_shared<const routing::TrafficMap>(edited);
    reconciler().hear(controller::news::MapIs{maps[edited.meta.key]}, clock.now());
    settle();
    EXPECT_EQ(weights(), "1 1");
    EXPECT_EQ(map().meta.generation, edited.meta.generation + 1);
}

TEST_F(ReconcilerTest, AConflictIsReadAgainAndWonAtLast) {
    begin();
    put(routed_service());
    settle();
    routing::TrafficMap other = map();  // written by somebody, and not told
    other.meta.resource_version = "2000";
    other.status.published = true;
    maps[other.meta.key] = std::make_shared<const routing::TrafficMap>(other);
    ceilings = {{"worker-a", 1}, {"worker-b", 2}};
    sync();
    advance(10ms);
    EXPECT_EQ(weights(), "1 2");
    EXPECT_EQ(map().status.published, true) << "what is somebody else's stays";
}

TEST_F(ReconcilerTest, AStoreThatFailsIsTriedAgain) {
    begin();
    fail_next = 3;
    put(routed_service());
    settle();
    EXPECT_TRUE(maps.empty());
    for (int i = 0; i < 10; ++i) {
        advance(10ms);
    }
    EXPECT_EQ(weights(), "1 1");
}

TEST_F(ReconcilerTest, ReadingsOfAnEarlierDeclarationDoNotCount) {
    begin();
    put(routed_service());
    settle();
    ceilings = {{"worker-a", 2}, {"worker-b", 2}};
    sync();
    const wire::ServiceAnswer old = [&] {
        ceilings = {{"worker-a", 0}, {"worker-b", 0}};
        return answer({"demo", "chat"});
    }();
    routing::InferenceService moved = routed_service();
    moved.status->candidates[0].endpoint = "http://elsewhere.test";
    put(moved);
    settle();
    ceilings = {{"worker-a", 2}, {"worker-b", 2}};
    exchange();
    reconciler().changed(old, clock.now());
    advance(50ms);
    EXPECT_EQ(weights(), "1 1");
}

TEST_F(ReconcilerTest, AnExpiringCeilingLeavesTheMapWithoutAWordFromTheObserver) {
    begin();
    put(routed_service());
    settle();
    sync();
    wire::ServiceAnswer told = answer({"demo", "chat"});
    for (core::HomeReading& home : told.service.homes) {
        home.capacity->ceiling = 1;
        home.capacity->fallback_reason.clear();
        home.capacity->samples = {{1, clock.wall() + -37s, clock.wall() + 3s}};
        home.capacity->valid_until = clock.wall() + 3s;
    }
    reconciler().changed(told, clock.now());
    advance(50ms);
    EXPECT_EQ(entry("worker-a").capacity.allocated, 1);
    advance(3s);
    EXPECT_EQ(entry("worker-a").capacity.allocated, 2);
    EXPECT_THAT(entry("worker-a").capacity.fallback_reason, testing::HasSubstr("stale"));
}

TEST(Backoff, BeginsAtFiveMillisecondsAndEndsAtAThousandSeconds) {
    EXPECT_EQ(controller::backoff_after(0), 5ms);
    EXPECT_EQ(controller::backoff_after(1), 10ms);
    EXPECT_EQ(controller::backoff_after(17), 655'360ms);
    EXPECT_EQ(controller::backoff_after(18), 1000s);
    EXPECT_EQ(controller::backoff_after(4'000'000'000U), 1000s);
}

TEST(Slots, LieOnAGridOfTheirOwnAndNeverInThePast) {
    const core::SteadyTime now{123456789s};
    const core::ServiceKey chat{"demo", "chat"};
    const core::SteadyTime next = controller::next_slot(chat, 10s, now);
    EXPECT_GT(next, now);
    EXPECT_LE(next, now + 10s);
    EXPECT_EQ(controller::next_slot(chat, 10s, next), next + 10s);
    EXPECT_NE(controller::next_slot({"demo", "other"}, 10s, now), next);
}

// A right that is missing is told by itself; what it keeps from being written is counted.
TEST_F(ReconcilerTest, AMissingRightIsNotToldOfEveryServiceAgainAndAgain) {
    lacks_right = true;
    fail_next = 5;
    begin();
    put(routed_service());
    for (int retry = 0; retry < 8; ++retry) {
        advance(100ms);
    }
    EXPECT_EQ(reconciler().counts(clock.now()).write_failures, 5U);
    EXPECT_EQ(noticed("TrafficMap not written"), 0U);
    EXPECT_EQ(noticed("trafficmap generated"), 1U) << "when it was written, and not before";
    lacks_right = false;
    fail_next = 1;
    routing::InferenceService changed = routed_service();
    changed.status->candidates[0].admitted_replicas = 4;
    put(changed);
    advance(100ms);
    advance(100ms);
    EXPECT_EQ(noticed("TrafficMap not written"), 1U);
    EXPECT_EQ(noticed("trafficmap generated"), 2U);
}

}  // namespace
}  // namespace ome::test
