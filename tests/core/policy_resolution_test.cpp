#include "policy_samples.hpp"
#include <ome/core/policy_resolution.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

constexpr ObserverLimits limits{.max_concurrent_reconciles = 8,
                                .max_concurrent_requests = 16,
                                .max_response_bytes = 65536,
                                .min_period = 1s,
                                .max_samples = 100};

TEST(Resolution, TakesTheOperatorsBlockWithoutAnOwnOne) {
    const auto policies = resolve_policies(samples::routing(), nullptr);
    ASSERT_TRUE(policies);
    ASSERT_TRUE(policies->probe && policies->capacity);
    EXPECT_EQ(policies->probe->path, "/v1/models");
    EXPECT_EQ(policies->probe->digest, digest_of(*policies->probe));
    EXPECT_EQ(policies->capacity->max_age, 40s);
}

TEST(Resolution, ReplacesTheOperatorsBlockWhole) {
    ServiceRoutingSettings own = samples::service();
    own.probe->path = "/own";
    own.capacity = CapacitySettings{.disabled = true};
    const auto policies = resolve_policies(samples::routing(), &own);
    ASSERT_TRUE(policies);
    EXPECT_EQ(policies->probe->path, "/own");
    EXPECT_FALSE(policies->capacity.has_value());
}

TEST(Resolution, ChecksTheShapeOfAnOwnBlockEvenWhileRoutingIsOff) {
    RoutingSettings off = samples::routing();
    off.enabled = false;
    ServiceRoutingSettings own;
    own.probe = ProbeSettings{.path = "/partial"};
    EXPECT_EQ(resolve_probe(off, &own).error().message, "spec.routing.probe.method is required");
    own.probe = samples::probe();
    EXPECT_FALSE(resolve_probe(off, &own)->has_value());
}

TEST(Resolution, DoesNotLookAtABadOperatorBlockThatAServiceTurnsOff) {
    RoutingSettings bad = samples::routing();
    bad.probe.method = "DELETE";
    ServiceRoutingSettings own;
    EXPECT_FALSE(resolve_probe(bad, &own));
    own.probe = ProbeSettings{.disabled = true};
    EXPECT_FALSE(resolve_probe(bad, &own)->has_value());
    own.probe = {};
    own.enabled = false;
    EXPECT_FALSE(resolve_probe(bad, &own)->has_value());
}

TEST(Resolution, SaysInWhichStageAPassEnded) {
    ServiceRoutingSettings own = samples::service();
    own.capacity->format = "report";
    EXPECT_EQ(resolve_policies(samples::routing(), &own).error().message,
              "resolve capacity policy: spec.routing.capacity.format \"report\" is not registered "
              "in this build (available: [Report])");
    own.capacity->quorum = 5;
    EXPECT_EQ(resolve_policies(samples::routing(), &own).error().message,
              "validate routing policy: spec.routing.capacity.quorum (5) must not exceed samples "
              "(4)");
}

TEST(Declared, SpeaksOfFieldsWithoutRouting) {
    ProbeSettings probe = samples::probe();
    probe.period = "500ms";
    probe.timeout = "100ms";
    const auto problem = declared_probe(probe, limits);
    ASSERT_FALSE(problem);
    EXPECT_EQ(problem.error().message,
              "probe.period (500ms) must be at least observer.minPeriod (1s)");
    EXPECT_EQ(problem.error().field, "probe.period");
}

TEST(Declared, RequiresAPath) {
    EXPECT_EQ(declared_probe({}, limits).error(),
              (Problem{"probe.path is required", "probe.path"}));
    EXPECT_EQ(declared_capacity({.path = ""}, limits).error().field, "capacity.path");
}

TEST(Declared, NamesATextThatIsNoDuration) {
    CapacitySettings capacity = samples::capacity();
    capacity.max_age = "40";
    EXPECT_EQ(declared_capacity(capacity, limits).error().message,
              R"(capacity.maxAge: "40" is not a duration (use forms like "30s", "5m"))");
}

TEST(Declared, GivesThePolicyWithItsDigest) {
    const auto capacity = declared_capacity(samples::capacity(), limits);
    ASSERT_TRUE(capacity);
    EXPECT_EQ(capacity->samples, 4);
    EXPECT_EQ(capacity->digest, unchecked_policy(samples::capacity()).digest);
}

}  // namespace
}  // namespace ome::core
