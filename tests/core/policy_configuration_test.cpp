#include "policy_samples.hpp"
#include <ome/core/policy_rules.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

TEST(Configuration, TakesTheSample) {
    EXPECT_EQ(configuration_error(samples::routing()), std::nullopt);
}

TEST(Configuration, ListsAllTextProblemsInOrderOfKeysAndNoRule) {
    RoutingSettings routing = samples::routing();
    routing.probe.timeout = "3";
    routing.observer.min_period = "-1s";
    routing.capacity.period = "0s";
    routing.publisher.resync_interval = "x";
    routing.observer.max_samples = 0;
    EXPECT_EQ(configuration_error(routing)->message,
              "invalid multi-cluster configuration: "
              "routing.capacity.period: \"0s\" must be positive\n"
              "routing.observer.minPeriod: \"-1s\" must be positive\n"
              "routing.probe.timeout: \"3\" is not a duration (use forms like \"30s\", \"5m\")\n"
              "routing.publisher.resyncInterval: \"x\" is not a duration (use forms like \"30s\", "
              "\"5m\")");
    EXPECT_EQ(configuration_error(routing)->field, "routing.capacity.period");
}

TEST(Configuration, ReportsOnlyTheFirstBrokenRule) {
    RoutingSettings routing = samples::routing();
    routing.observer.max_response_bytes = 0;
    routing.observer.max_samples = {};
    routing.probe.method = {};
    EXPECT_EQ(join_messages(configuration_problems(routing)),
              "routing.observer.maxResponseBytes must be positive when routing is enabled");
}

TEST(Configuration, ChecksTextsButNoRulesWhileRoutingIsOff) {
    RoutingSettings routing = samples::routing();
    routing.enabled = {};
    routing.observer = {};
    routing.publisher.resync_interval = "0s";
    EXPECT_TRUE(configuration_problems(routing).empty());
    routing.probe.period = "ten";
    EXPECT_EQ(configuration_problems(routing).size(), 1U);
}

TEST(Configuration, HoldsPeriodsToTheFloorAndSamplesToTheCap) {
    RoutingSettings routing = samples::routing();
    routing.observer.min_period = "10s";
    routing.observer.max_samples = 4;
    EXPECT_EQ(rule_problem(routing), std::nullopt);
    routing.observer.min_period = "10.001s";
    EXPECT_EQ(rule_problem(routing)->message,
              "routing.probe.period (10s) must be at least routing.observer.minPeriod (10.001s)");
    routing.observer.min_period = "10s";
    routing.observer.max_samples = 3;
    EXPECT_EQ(rule_problem(routing)->message,
              "routing.capacity.samples (4) must not exceed routing.observer.maxSamples (3)");
}

TEST(Configuration, HoldsABlockThatIsOffToNoFloor) {
    RoutingSettings routing = samples::routing();
    routing.probe = {};
    routing.capacity = {};
    EXPECT_EQ(rule_problem(routing), std::nullopt);
}

TEST(Configuration, KnowsTheBuiltInPublisher) {
    EXPECT_EQ(publisher_problem({}), std::nullopt);
    EXPECT_EQ(publisher_problem({.name = "gatewayapi"}), std::nullopt);
    EXPECT_EQ(publisher_problem({.name = "other"})->message,
              "TrafficMap publisher \"other\" is not compiled into this manager (available: "
              "[])");
    EXPECT_EQ(publisher_problem({.options = Options{{"b", "1"}, {"a", "2"}}})->message,
              "configure built-in Gateway API publisher: Gateway API publisher does not accept "
              "global options: a, b");
}

TEST(Limits, AreTakenOverWhenAllArePositive) {
    const auto limits = check_limits(samples::routing().observer);
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->max_concurrent_requests, 16);
    EXPECT_EQ(limits->min_period, std::chrono::seconds(1));
}

}  // namespace
}  // namespace ome::core
