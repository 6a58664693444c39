#include "policy_samples.hpp"
#include <ome/core/policy_rules.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

std::string message(const ServiceRoutingSettings& routing) {
    const auto problem = shape_problem(routing);
    return problem ? problem->message : "";
}

TEST(ServiceRules, TakesTheSamplesAndAnEmptyBlock) {
    EXPECT_EQ(message(samples::service()), "");
    EXPECT_EQ(message({}), "");
}

TEST(ServiceRules, JudgesGateStatusesInListOrderWithTheOverlap) {
    ServiceRoutingSettings routing = samples::service();
    routing.probe->gate_statuses = {{200, 401, 600}};
    EXPECT_EQ(message(routing),
              "spec.routing.probe status 200 is in both acceptStatuses and gateStatuses");
    routing.probe->gate_statuses = {{401, 200}};
    EXPECT_EQ(message(routing), "spec.routing.probe.gateStatuses must not contain 401");
    routing.probe->gate_statuses = {{600, 401}};
    EXPECT_EQ(message(routing),
              "spec.routing.probe.gateStatuses contains invalid HTTP status 600; statuses must be "
              "between 100 and 599");
}

TEST(ServiceRules, TestsThePeriodBeforeTheQuorumSpan) {
    ServiceRoutingSettings routing = samples::service();
    routing.capacity->max_age = "9s";
    EXPECT_EQ(message(routing), "spec.routing.capacity.maxAge (9s) must be at least period (10s)");
    routing.capacity->max_age = "29s";
    EXPECT_EQ(message(routing),
              "spec.routing.capacity.maxAge (29s) must span at least quorum (3) period intervals");
}

TEST(ServiceRules, ToleratesZeroValuesBesideDisabled) {
    ServiceRoutingSettings routing;
    routing.probe = ProbeSettings{.disabled = true, .path = "", .period = "0s", .timeout = "0"};
    EXPECT_EQ(message(routing), "");
    routing.probe->success_threshold = 1;
    EXPECT_EQ(message(routing),
              "spec.routing.probe.disabled must not be combined with probe configuration fields");
}

TEST(ServiceRules, ReportsAFactorBeforeAProbe) {
    ServiceRoutingSettings routing = samples::service();
    routing.probe->path = {};
    routing.capacity_factors = {{"worker-a", "2"}, {"worker-b", "-0.5"}};
    EXPECT_EQ(message(routing),
              R"(spec.routing.capacityFactors["worker-b"] must be positive, got "-500m")");
    routing.capacity_factors = {{"worker-b", "0Ki"}};
    EXPECT_EQ(message(routing),
              R"(spec.routing.capacityFactors["worker-b"] must be positive, got "0")");
}

TEST(ServiceRules, ReportsWhatCannotBeReadBeforeAnyRule) {
    ServiceRoutingSettings routing = samples::service();
    routing.capacity_factors = {{"a", "-1"}};
    routing.capacity->timeout = "3";
    EXPECT_EQ(
        message(routing),
        R"(spec.routing.capacity.timeout: "3" is not a duration (use forms like "30s", "5m"))");
}

TEST(ServiceRules, BoundsPublisherOptions) {
    ServiceRoutingSettings routing;
    Options options;
    for (int i = 0; i < 32; ++i) {
        options["key-" + std::to_string(i)] = "v";
    }
    routing.publisher_options = options;
    EXPECT_EQ(message(routing), "");
    options["one-more"] = "v";
    routing.publisher_options = options;
    EXPECT_EQ(message(routing),
              "spec.routing.publisher.options must contain at most 32 entries, got 33");
}

TEST(ServiceRules, BoundsKeysAndValuesOfOptions) {
    const auto with = [](std::string key, std::string value) {
        ServiceRoutingSettings routing;
        routing.publisher_options = Options{{std::move(key), std::move(value)}};
        return message(routing);
    };
    EXPECT_EQ(with(std::string(128, 'k'), std::string(4096, 'v')), "");
    EXPECT_EQ(with(std::string(129, 'k'), "v"),
              "spec.routing.publisher.options key \"" + std::string(129, 'k') +
                  "\" exceeds the 128-byte limit");
    EXPECT_EQ(with("k", std::string(4097, 'v')),
              R"(spec.routing.publisher.options["k"] exceeds the 4096-byte value limit)");
    EXPECT_EQ(with(" \t", "v"),
              "spec.routing.publisher.options contains an empty or whitespace-only key");
    EXPECT_EQ(with("\u3000", "v"),
              "spec.routing.publisher.options contains an empty or whitespace-only key");
    EXPECT_EQ(with("k", "\u00a0 "),
              R"(spec.routing.publisher.options["k"] must not be empty or whitespace-only)");
    EXPECT_EQ(with("k", " "),
              R"(spec.routing.publisher.options["k"] must not be empty or whitespace-only)");
}

}  // namespace
}  // namespace ome::core
