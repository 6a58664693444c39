#include <ome/core/configuration_changes.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Configuration sample() {
    Configuration all;
    all.routing.enabled = true;
    all.routing.probe.period = "10s";
    all.routing.probe.gate_statuses = std::vector<std::int64_t>{500, 503};
    all.routing.publisher.options = Options{{"tier", "gold"}};
    all.gateway.global_gateway = "gateway-system/global";
    return all;
}

TEST(ConfigurationChanges, NoneWhereNothingChanged) {
    EXPECT_THAT(configuration_changes(sample(), sample()), IsEmpty());
}

TEST(ConfigurationChanges, EachByItsPath) {
    Configuration after = sample();
    after.routing.enabled = false;
    after.routing.probe.period = "5s";
    after.routing.probe.gate_statuses = std::vector<std::int64_t>{503};
    after.routing.publisher.options.reset();
    after.routing.observer.max_samples = 10;
    after.gateway.global_gateway = "";
    EXPECT_THAT(configuration_changes(sample(), after),
                ElementsAre("endpoint.globalGateway: gateway-system/global -> \"\"",
                            "routing.enabled: true -> false",
                            "routing.observer.maxSamples: (not set) -> 10",
                            "routing.probe.gateStatuses: [500, 503] -> [503]",
                            "routing.probe.period: 10s -> 5s",
                            "routing.publisher.options: {tier: gold} -> (not set)"));
}

// A member that is forgotten here would change without a word.
TEST(ConfigurationChanges, KnowsEveryMember) {
    Configuration all;
    all.routing.enabled = true;
    all.routing.observer = {1, 1, 1, "1s", 1};
    all.routing.probe.path = all.routing.probe.method = all.routing.probe.period = "x";
    all.routing.probe.timeout = all.routing.probe.all_failed_policy = "x";
    all.routing.probe.accept_statuses = all.routing.probe.gate_statuses.emplace();
    all.routing.probe.failure_threshold = all.routing.probe.success_threshold = 1;
    all.routing.capacity.path = all.routing.capacity.method = all.routing.capacity.format = "x";
    all.routing.capacity.period = all.routing.capacity.timeout = all.routing.capacity.max_age = "x";
    all.routing.capacity.options.emplace();
    all.routing.capacity.samples = all.routing.capacity.quorum = 1;
    all.routing.publisher = {"x", "x", Options{}};
    all.gateway = {"x", "x", "x", 1, true, true, "x", true, "x", "x"};
    EXPECT_EQ(configured_members(all).size(), 1U + 5U + 9U + 9U + 3U + 10U);
}

}  // namespace
}  // namespace ome::core
