#include "support/publication_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::test {
namespace {

using namespace std::chrono_literals;
using routing::ObjectKind;
using routing::Publication;
using testing::ElementsAre;
using testing::HasSubstr;

std::string kinds(const std::vector<std::string>& done) {
    std::string text;
    for (const std::string& line : done) {
        text += (text.empty() ? "" : ", ") + line.substr(0, line.find(' ', line.find(' ') + 1));
    }
    return text;
}

TEST(PublicationStep, WritesInTheOrderOfTheContract) {
    PublicationBench bench;
    bench.settings.backend_tls = true;
    bench.settings.authorities = "System";
    bench.settings.endpoint_slices = true;
    bench.world.put_addresses(bench.service.key,
                              {{"worker-a", std::vector<std::string>{"203.0.113.1", "2001:db8::1"}},
                               {"worker-b", std::vector<std::string>{"203.0.113.2"}}});
    EXPECT_EQ(bench.run()->what, Publication::Published);
    EXPECT_EQ(
        kinds(bench.done),
        "finalizer added, status False/Transitioning, write Service, write Service, "
        "write EndpointSlice, write EndpointSlice, write BackendTLSPolicy, "
        "write EndpointSlice, write BackendTLSPolicy, write HTTPRoute, status True/Published");
}

TEST(PublicationStep, AnIdleMapIsNeverWritten) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    for (int resync = 0; resync < 3; ++resync) {
        bench.now.wall.seconds += 60;
        bench.run();
    }
    bench.memory = {};  // another process
    bench.run();
    EXPECT_THAT(bench.done, ElementsAre());
}

TEST(PublicationStep, AGenerationThatChangesNothingIsAcknowledgedAlone) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    ++bench.map.meta.generation;
    bench.run();
    EXPECT_THAT(bench.done, ElementsAre("status True/Published"));
    EXPECT_EQ(bench.map.status.observed_traffic_map_generation, bench.map.meta.generation);
}

TEST(PublicationStep, AChangeOfWeightsIsOneWriteOfTheRoute) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    bench.map.spec.entries[1].weight = 0;
    ++bench.map.meta.generation;
    bench.run();
    EXPECT_THAT(bench.done,
                ElementsAre("status False/Transitioning",
                            "write HTTPRoute prod/chat-global",
                            "status True/Published"));
    EXPECT_THAT(bench.weights(), ElementsAre(2, 0));
}

TEST(PublicationStep, WeightsReachTheRouteAlthoughOtherWritesFail) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    bench.map.spec.entries[1].weight = 0;
    bench.settings.backend_tls = true;
    bench.settings.authorities = "System";
    bench.memory = {};
    bench.refuse = [](const routing::ObjectWrite& write) {
        return write.object.kind() == ObjectKind::BackendTlsPolicy
                   ? std::optional(core::Problem{"no"})
                   : std::nullopt;
    };
    EXPECT_EQ(bench.run()->what, Publication::ApplyFailed);
    EXPECT_THAT(bench.weights(), ElementsAre(2, 0));
}

TEST(PublicationStep, AHomeThatCannotBeResolvedKeepsItsAddresses) {
    PublicationBench bench;
    bench.settings.endpoint_slices = true;
    const std::vector<std::string> known{"203.0.113.1"};
    bench.world.put_addresses(bench.service.key, {{"worker-a", known}, {"worker-b", known}});
    bench.run();
    bench.world.put_addresses(
        bench.service.key,
        {{"worker-a", known}, {"worker-b", core::Problem{"workload cluster is not connected"}}});
    bench.map.spec.entries[1].weight = 0;
    bench.done.clear();
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->what, Publication::ApplyFailed);
    EXPECT_EQ(verdict->retry, routing::Retry::Backoff);
    EXPECT_THAT(bench.weights(), ElementsAre(2, 0));
    EXPECT_EQ(bench.owned(ObjectKind::EndpointSlice).size(), 2U);
    EXPECT_EQ(bench.count("delete"), 0U);
}

TEST(PublicationStep, AForeignEditIsUndoneInOneWriteAndWithoutAWordAboutIt) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    routing::PublishedObject edited = *bench.owned(ObjectKind::HttpRoute).front();
    std::get<routing::HttpRouteSpec>(edited.spec).backends[0].weight = 99;
    edited.meta.annotations["example.com/hint"] = "kept";
    bench.put(edited);
    bench.run();
    EXPECT_THAT(bench.done, ElementsAre("write HTTPRoute prod/chat-global"));
    EXPECT_THAT(bench.weights(), ElementsAre(2, 1));
    EXPECT_EQ(bench.owned(ObjectKind::HttpRoute).front()->meta.annotations.size(), 1U);
}

TEST(PublicationStep, AFightEndsWithAPauseWhichAChangeOfTheMapDoesNotWaitFor) {
    PublicationBench bench;
    bench.run();
    const auto edit = [&bench] {
        routing::PublishedObject edited = *bench.owned(ObjectKind::HttpRoute).front();
        std::get<routing::HttpRouteSpec>(edited.spec).backends[0].weight = 99;
        bench.put(edited);
        bench.done.clear();
        bench.run();
        return bench.done.size();
    };
    EXPECT_EQ(edit(), 1U);
    EXPECT_EQ(edit(), 1U);
    EXPECT_EQ(edit(), 0U);
    EXPECT_THAT(bench.last.held_back,
                ElementsAre(routing::ObjectKey{ObjectKind::HttpRoute, "prod", "chat-global"}));
    EXPECT_EQ(bench.last.look_again, bench.now.steady + 1s);
    bench.map.spec.entries[0].weight = 0;
    bench.run();
    EXPECT_THAT(bench.weights(), ElementsAre(0, 1));
}

TEST(PublicationStep, ForeignPartsOfTheSpecAreDrift) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    routing::PublishedObject edited = *bench.owned(ObjectKind::Service).front();
    edited.foreign_parts = true;
    bench.put(edited);
    bench.run();
    EXPECT_EQ(bench.count("write Service"), 1U);
}

TEST(PublicationStep, AHomeThatGoesLosesItsServiceAfterTheRoute) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    bench.map.spec.entries.pop_back();
    bench.run();
    EXPECT_EQ(kinds(bench.done),
              "status False/Transitioning, write HTTPRoute, delete Service, status True/Published");
}

TEST(PublicationStep, WithdrawsInTheOrderThatNeverLeadsNowhere) {
    PublicationBench bench;
    bench.run();
    bench.done.clear();
    bench.memory = {};
    bench.settings.host_template.clear();
    EXPECT_EQ(bench.run()->what, Publication::Withdrawn);
    EXPECT_EQ(kinds(bench.done),
              "status False/Transitioning, write HTTPRoute, delete HTTPRoute, delete Service, "
              "delete Service, status False/Withdrawn");
    EXPECT_THAT(bench.map.status.publisher->claimed_targets,
                ElementsAre("v1:httproute:prod/chat-global"));
    EXPECT_FALSE(bench.map.status.gateway_ref);
}

TEST(PublicationStep, AMapThatWasNeverPublishedIsWithdrawnWithoutObjects) {
    PublicationBench bench;
    bench.settings.gateway.clear();
    EXPECT_EQ(bench.run()->what, Publication::Withdrawn);
    EXPECT_THAT(bench.done, ElementsAre("finalizer added", "status False/Withdrawn"));
}

TEST(PublicationStep, WithoutTheTypesThereIsNothingToTakeAway) {
    PublicationBench bench;
    bench.settings.gateway.clear();
    for (const bool missing : {false, true}) {
        for (const ObjectKind kind : {ObjectKind::HttpRoute, ObjectKind::EndpointSlice}) {
            bench.world.set_unreadable(kind, core::Problem{"no"}, missing);
        }
        EXPECT_EQ(bench.run()->what, Publication::Withdrawn);
    }
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.run();
    EXPECT_TRUE(bench.gone) << "nothing is waited for that cannot come";
}

TEST(PublicationStep, WhatCannotBeSeenIsNotTakenForGone) {
    PublicationBench bench;
    bench.run();
    bench.world.set_unreadable(ObjectKind::HttpRoute, core::Problem{"forbidden"});
    bench.map.meta.deletion_timestamp = bench.now.wall;
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->what, Publication::Finalizing);
    EXPECT_THAT(verdict->why.message, HasSubstr("read claimed HTTPRoute: forbidden"));
    EXPECT_FALSE(bench.gone);
}

TEST(PublicationStep, WhoPublishesNothingNeedsNoRightToSeeIt) {
    PublicationBench bench;
    bench.settings.gateway.clear();
    bench.world.set_unreadable(ObjectKind::HttpRoute, core::Problem{"forbidden"});
    bench.world.set_unreadable(ObjectKind::Service, core::Problem{"forbidden"});
    EXPECT_EQ(bench.run()->what, Publication::Withdrawn);
    EXPECT_THAT(bench.done, ElementsAre("finalizer added", "status False/Withdrawn"));
    bench.done.clear();
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.run();
    EXPECT_TRUE(bench.gone);
    EXPECT_THAT(bench.done, ElementsAre("status False/Unpublished", "finalizer removed"));
}

// Its service goes first, mostly, and the map says so before it is deleted.
TEST(PublicationStep, WhatIsProvenGoneStaysProvenWhateverTheMapSaysNext) {
    for (const bool seen_before : {false, true}) {
        PublicationBench bench;
        bench.settings.gateway.clear();
        if (seen_before) {
            bench.run();
            EXPECT_TRUE(bench.map.status.publisher);
        }
        bench.world.set_unreadable(ObjectKind::HttpRoute, core::Problem{"forbidden"});
        bench.run();
        EXPECT_FALSE(bench.map.status.publisher) << "who sees nothing claims nothing";
        bench.service.uid = "another";
        EXPECT_EQ(bench.run()->what, Publication::InvalidOwner);
        bench.map.meta.deletion_timestamp = bench.now.wall;
        bench.run();
        EXPECT_TRUE(bench.gone);
    }
}

TEST(PublicationStep, WhoMayNotSeeRoutesClaimsNoneAndMayGo) {
    PublicationBench bench;
    bench.world.set_unreadable(ObjectKind::HttpRoute, core::Problem{"forbidden"});
    EXPECT_EQ(bench.run()->what, Publication::ClaimRejected);
    EXPECT_FALSE(bench.map.status.publisher);
    bench.settings.gateway.clear();
    EXPECT_EQ(bench.run()->what, Publication::Withdrawn);
    bench.map.meta.deletion_timestamp = bench.now.wall;
    bench.run();
    EXPECT_TRUE(bench.gone);
}

TEST(PublicationStep, AWithdrawalThatWasNotSeenIsNotTakenForOne) {
    PublicationBench bench;
    bench.run();
    bench.settings.gateway.clear();
    bench.world.set_unreadable(ObjectKind::HttpRoute, core::Problem{"forbidden"});
    EXPECT_EQ(bench.run()->what, Publication::ApplyFailed);
    EXPECT_FALSE(bench.owned(ObjectKind::HttpRoute).empty());
}

// Else a process that ends between the two would leave a map that says that there is nothing.
TEST(PublicationStep, AMapDoesNotSayWithdrawnAnyMoreWhenSomethingIsMade) {
    PublicationBench bench;
    bench.settings.gateway.clear();
    bench.run();
    bench.done.clear();
    bench.settings.gateway = "gateway-system/global";
    bench.run();
    ASSERT_FALSE(bench.done.empty());
    EXPECT_EQ(bench.done.front(), "status False/Transitioning");
    EXPECT_EQ(bench.done.back(), "status True/Published");
}

TEST(PublicationStep, AMovedRouteDrainsTheOldOne) {
    PublicationBench bench;
    bench.settings.gateway = "global";
    bench.run();
    bench.done.clear();
    bench.memory = {};
    bench.settings.route_namespace = "edge";
    EXPECT_EQ(bench.run()->what, Publication::Published);
    const auto* old = bench.world.find({ObjectKind::HttpRoute, "prod", "chat-global"});
    ASSERT_NE(old, nullptr);
    for (const auto& backend : std::get<routing::HttpRouteSpec>(old->spec).backends) {
        EXPECT_EQ(backend.weight, 0);
    }
    EXPECT_EQ(bench.map.status.publisher->claimed_targets.size(), 2U);
}

TEST(PublicationStep, AMovedRouteThatIsForeignFailsTheDrain) {
    PublicationBench bench;
    bench.settings.gateway = "global";
    bench.run();
    bench.memory = {};
    bench.settings.route_namespace = "edge";
    routing::PublishedObject old = *bench.owned(ObjectKind::HttpRoute).front();
    old.meta.labels.clear();
    bench.put(old);
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->what, Publication::DrainFailed);
    EXPECT_EQ(verdict->why.message,
              "claimed HTTPRoute prod/chat-global is not owned by source prod/chat");
}

TEST(PublicationStep, RefusesOptions) {
    PublicationBench bench;
    bench.service.routing =
        core::ServiceRoutingSettings{.publisher_options = core::Options{{"z", "1"}, {"a", "2"}}};
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->what, Publication::InvalidOptions);
    EXPECT_EQ(verdict->why.message,
              "Gateway API publisher does not accept per-InferenceService options: a, z");
}

TEST(PublicationStep, RefusesMoreClaimsThanAJournalHolds) {
    PublicationBench bench;
    bench.map.status.publisher = journal("gatewayapi", {});
    for (int i = 0; i < 128; ++i) {
        bench.map.status.publisher->claimed_targets.push_back("v1:httproute:a/r" +
                                                              std::to_string(i));
    }
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->what, Publication::ClaimRejected);
    EXPECT_EQ(verdict->why.message, "publisher claim union has 129 targets, maximum is 128");
}

TEST(PublicationStep, AMapThatHoldsStateGetsItsFinalizerBackEvenWithRoutingOff) {
    PublicationBench bench;
    bench.run();
    bench.map.meta.finalizers.clear();
    bench.settings.active = false;
    bench.done.clear();
    bench.run();
    EXPECT_THAT(bench.done, ElementsAre("finalizer added"));
}

TEST(PublicationStep, ATerminatingObjectOfOursIsWaitedFor) {
    PublicationBench bench;
    bench.run();
    routing::PublishedObject going = *bench.owned(ObjectKind::HttpRoute).front();
    going.meta.deletion_timestamp = bench.now.wall;
    bench.put(going);
    const auto verdict = bench.run();
    EXPECT_EQ(verdict->what, Publication::ClaimRejected);
    EXPECT_EQ(verdict->retry, routing::Retry::Backoff);
    EXPECT_EQ(verdict->why.message, "global HTTPRoute prod/chat-global is terminating");
}

TEST(PublicationStep, HeadlessServicesHaveNoExternalName) {
    PublicationBench bench;
    bench.settings.backend_type = routing::BackendType::Headless;
    bench.settings.endpoint_slices = true;
    bench.world.put_addresses(bench.service.key,
                              {{"worker-a", std::vector<std::string>{"203.0.113.1"}},
                               {"worker-b", std::vector<std::string>{"203.0.113.2"}}});
    bench.run();
    for (const auto* service : bench.owned(ObjectKind::Service)) {
        EXPECT_EQ(std::get<routing::ServiceSpec>(service->spec).external_name, "");
    }
    EXPECT_EQ(bench.owned(ObjectKind::EndpointSlice).size(), 2U);
}

}  // namespace
}  // namespace ome::test
