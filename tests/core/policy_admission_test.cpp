#include "policy_samples.hpp"
#include <ome/core/policy_admission.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> messages(const std::vector<Problem>& problems) {
    std::vector<std::string> texts;
    for (const Problem& problem : problems) {
        texts.push_back(problem.message);
    }
    return texts;
}

TEST(Admission, AdmitsTheSamplesAndBlocksThatAreOff) {
    EXPECT_TRUE(admission(samples::service()).admitted());
    EXPECT_TRUE(admission({}).admitted());
    ServiceRoutingSettings off;
    off.probe = ProbeSettings{.disabled = true};
    off.capacity = CapacitySettings{.disabled = true};
    EXPECT_TRUE(admission(off).admitted());
}

TEST(Admission, CountsAPresentZeroAndAPresentEmptyMap) {
    ServiceRoutingSettings routing;
    routing.probe = ProbeSettings{.disabled = true, .period = "0s"};
    routing.capacity = CapacitySettings{.disabled = true, .options = Options{}};
    EXPECT_THAT(messages(admission(routing).rules),
                ElementsAre("disabled must not be combined with probe configuration fields",
                            "period must be positive",
                            "disabled must not be combined with capacity configuration fields"));
}

TEST(Admission, ReportsEveryBrokenRule) {
    ServiceRoutingSettings routing = samples::service();
    routing.capacity = {};
    routing.probe->timeout = "-1s";
    routing.probe->period = "-1s";
    routing.probe->gate_statuses = {{403}};
    EXPECT_THAT(messages(admission(routing).rules),
                ElementsAre("period must be positive",
                            "timeout must be positive",
                            "timeout must be shorter than period",
                            "gateStatuses must not contain 401, 403, or 429"));
}

TEST(Admission, RejectsAnEmptyBlock) {
    ServiceRoutingSettings routing;
    routing.capacity = CapacitySettings{};
    EXPECT_THAT(messages(admission(routing).rules),
                ElementsAre("an enabled capacity poll must specify path, method, format, period, "
                            "timeout, samples, quorum, and maxAge"));
}

TEST(Admission, LetsThroughWhatOnlyShowsAtRunTime) {
    ServiceRoutingSettings routing = samples::service();
    routing.probe->accept_statuses = {{200, 503}};
    routing.capacity->max_age = "20s";
    routing.capacity->format = "report";
    routing.capacity->options = Options{{"a", "b"}};
    routing.capacity_factors = {{"worker-a", "-1"}};
    EXPECT_TRUE(admission(routing).admitted());
}

TEST(Admission, CountsCharactersOfOptionsNotBytes) {
    std::string key;
    for (int i = 0; i < 128; ++i) {
        key += "\u00e9";
    }
    ServiceRoutingSettings routing;
    routing.publisher_options = Options{{key, "v"}};
    EXPECT_TRUE(admission(routing).admitted());
    routing.publisher_options = Options{{key + "x", "v"}};
    EXPECT_THAT(messages(admission(routing).rules),
                ElementsAre("publisher option keys must contain 1-128 characters and values must "
                            "contain 1-4096 characters"));
}

TEST(Facets, SpeakInTheWordsOfAnApiServer) {
    ServiceRoutingSettings routing = samples::service();
    routing.probe->path = "x";
    routing.probe->method = "PUT";
    routing.probe->accept_statuses = {{200, 200}};
    routing.probe->gate_statuses = {{600}};
    routing.probe->failure_threshold = 0;
    const Admission found = admission(routing);
    EXPECT_THAT(found.rules, IsEmpty());
    EXPECT_THAT(
        messages(found.facets),
        ElementsAre(
            R"(spec.routing.probe.path: Invalid value: "x": spec.routing.probe.path in body should match '^/')",
            R"(spec.routing.probe.method: Unsupported value: "PUT": supported values: "GET", "HEAD", "POST")",
            "spec.routing.probe.acceptStatuses[1]: Duplicate value: 200",
            "spec.routing.probe.gateStatuses[0]: Invalid value: 600: "
            "spec.routing.probe.gateStatuses[0] in body should be less than or equal to 599",
            "spec.routing.probe.failureThreshold: Invalid value: 0: "
            "spec.routing.probe.failureThreshold in body should be greater than or equal to 1"));
}

TEST(Facets, BoundTheSizesOfLists) {
    ServiceRoutingSettings routing = samples::service();
    routing.probe->accept_statuses = std::vector<std::int64_t>{};
    EXPECT_EQ(admission(routing).facets.size(), 1U);
    EXPECT_EQ(admission(routing).facets[0].field, "spec.routing.probe.acceptStatuses");
}

TEST(Facets, NameTextsThatAreNoDurationAndNoQuantity) {
    ServiceRoutingSettings routing = samples::service();
    routing.capacity->max_age = "40";
    routing.capacity_factors = {{"worker-a", "two"}};
    const Admission found = admission(routing);
    ASSERT_EQ(found.facets.size(), 2U);
    EXPECT_EQ(found.facets[0].field, R"(spec.routing.capacityFactors["worker-a"])");
    EXPECT_EQ(found.facets[1].field, "spec.routing.capacity.maxAge");
}

}  // namespace
}  // namespace ome::core
