#include <ome/routing/traffic_pass.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

class AdmissionTest : public testing::Test {
protected:
    AdmissionTest() {
        service.key = {"prod", "svc"};
        service.placement = PlacementIntent{.policy = "ClusterAffinity", .mode = "Split"};
        installation.enabled = true;
    }

    [[nodiscard]] std::string outcome() const {
        const auto admitted = admit(service, installation);
        if (!admitted) {
            return admitted.error().message;
        }
        return *admitted ? "routed" : "reaped";
    }

    InferenceService service;
    core::RoutingSettings installation;
};

TEST_F(AdmissionTest, IntentIsCheckedInTheOrderOfTheContract) {
    EXPECT_EQ(outcome(), "routed");
    service.placement->split = {.replicas = 0, .max_replicas_per_cluster = -1};
    EXPECT_EQ(
        outcome(),
        "validate placement intent: spec.placement.split.replicas must be positive when specified");
    service.placement->split->replicas = 1;
    EXPECT_EQ(outcome(),
              "validate placement intent: spec.placement.split.maxReplicasPerCluster must be "
              "nonnegative");
    service.placement->mode = "All";
    EXPECT_EQ(outcome(),
              "validate placement intent: spec.placement.split is permitted only for Split and "
              "SplitByCapacity");
    service.placement->replacement_timeout = "1m";
    EXPECT_EQ(
        outcome(),
        "validate placement intent: spec.placement.replacementTimeout must be positive and is "
        "permitted only for Single");
    service.placement->mode = "single";
    EXPECT_EQ(outcome(),
              "validate placement intent: spec.placement.mode must explicitly select Single, All, "
              "Split, or SplitByCapacity");
    service.placement->policy = "Legacy";
    EXPECT_EQ(
        outcome(),
        "validate placement intent: spec.placement.policy must explicitly select ClusterAffinity");
    service.has_cluster_selector = true;
    EXPECT_EQ(
        outcome(),
        "validate placement intent: annotation ome.io/cluster-selector is unsupported; declare "
        "spec.placement.mode and migrate restrictions to clusterAffinity");
}

TEST_F(AdmissionTest, SingleMayWaitForAReplacement) {
    service.placement->mode = "Single";
    service.placement->replacement_timeout = "1m";
    EXPECT_EQ(outcome(), "routed");
    service.placement->replacement_timeout = "0s";
    EXPECT_NE(outcome(), "routed");
}

TEST_F(AdmissionTest, OrphanedPlanIsAnErrorEvenWithRoutingOff) {
    installation.enabled = false;
    EXPECT_EQ(outcome(), "reaped");
    service.status.emplace().plan.emplace().id = "plan-a";
    EXPECT_EQ(outcome(), "reaped");
    service.placement.reset();
    EXPECT_EQ(outcome(),
              "an accepted placement plan requires spec.placement.policy: ClusterAffinity");
    service.deleting = true;
    EXPECT_EQ(outcome(), "reaped");
}

TEST_F(AdmissionTest, DrainsAreReadBetweenShapeAndResolution) {
    service.drains = "[]";
    service.routing.emplace().probe.emplace().period = "500ms";
    EXPECT_EQ(outcome(), "validate routing policy: spec.routing.probe.path is required");
    service.routing->probe.reset();
    EXPECT_EQ(
        outcome(),
        "parse ome.io/traffic-drain: top-level value must be a JSON object keyed by override ID");
}

TEST_F(AdmissionTest, DerivedCopiesAndOptOutsAreNotRouted) {
    service.routing.emplace().enabled = false;
    EXPECT_EQ(outcome(), "reaped");
    service.routing.reset();
    service.derived_copy = true;
    EXPECT_EQ(outcome(), "reaped");
}

}  // namespace
}  // namespace ome::routing
