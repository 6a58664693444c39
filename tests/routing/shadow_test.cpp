#include <ome/routing/explanation.hpp>
#include <ome/routing/shadow.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::routing {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Two homes of two replicas: worker-a reports one, worker-b is gated.
class ShadowTest : public testing::Test {
protected:
    ShadowTest() {
        service.key = {"demo", "chat"};
        service.uid = "uid-chat";
        service.shadow = "true";
        service.placement.emplace();
        service.placement->policy = "ClusterAffinity";
        service.placement->mode = "All";
        service.status.emplace().phase = "Placed";
        for (const char* cluster : {"worker-a", "worker-b"}) {
            Candidate& candidate = service.status->candidates.emplace_back();
            candidate.cluster = cluster;
            candidate.phase = "Admitted";
            candidate.endpoint = std::string("https://") + cluster + ".example";
            candidate.admitted_replicas = 2;
            candidate.ready_replicas = 2;
        }
        seen["worker-a"].capacity = CapacityObservation{1, {}};
        ProbeObservation& probe = seen["worker-b"].probe.emplace();
        probe.conclusive = true;
        probe.state.gated = true;
        probe.state.result = core::ProbeResult::Failing;
        probe.state.message = "HTTP 503";
        installation.enabled = true;
        installation.probe = {.path = "/v1/models",
                              .method = "GET",
                              .accept_statuses = std::vector<std::int64_t>{200},
                              .gate_statuses = std::vector<std::int64_t>{503},
                              .period = "10s",
                              .timeout = "2s",
                              .failure_threshold = 3,
                              .success_threshold = 2,
                              .all_failed_policy = "Drain"};
        installation.capacity = {.path = "/capacity",
                                 .method = "GET",
                                 .format = "Report",
                                 .period = "10s",
                                 .timeout = "2s",
                                 .samples = 1,
                                 .quorum = 1,
                                 .max_age = "30s"};
        installation.observer.min_period = "1s";
        installation.observer.max_samples = 100;
    }

    [[nodiscard]] RoutedService routed() const {
        const auto admitted = admit(service, installation);
        return admitted ? admitted->value() : throw std::runtime_error(admitted.error().message);
    }

    InferenceService service;
    core::RoutingSettings installation;
    Observations seen;
};

TEST_F(ShadowTest, ReadingsChangeNoWeight) {
    const RoutedService shadowed = routed();
    EXPECT_TRUE(observed_policies(shadowed).probe);
    EXPECT_TRUE(observed_policies(shadowed).capacity);
    const Plan plan = build_plan(service, shadowed, seen);
    ASSERT_EQ(plan.spec.entries.size(), 2U);
    for (const Entry& entry : plan.spec.entries) {
        EXPECT_EQ(entry.weight, 1) << entry.cluster;
        EXPECT_TRUE(entry.healthy) << entry.cluster;
        EXPECT_FALSE(entry.probe) << entry.cluster;
        EXPECT_FALSE(entry.capacity.reported) << entry.cluster;
        EXPECT_EQ(entry.capacity.fallback_reason, "") << entry.cluster;
    }
}

TEST_F(ShadowTest, TellsWhatTheWeightsWouldBe) {
    const RoutedService shadowed = routed();
    EXPECT_EQ(shadow_weights(service, shadowed, seen), "worker-a 1 (now 1), worker-b 0 (now 1)");
    const std::string text = text_of(explain(service, shadowed, seen));
    EXPECT_THAT(text, HasSubstr("worker-b 1: admitted 2, ready 2"));
    EXPECT_THAT(text,
                HasSubstr("\nin shadow: probes gate nothing and ceilings lower nothing; with "
                          "them it would be\n  worker-a 1: "));
    EXPECT_THAT(text, HasSubstr("\n  worker-b 0: "));
    EXPECT_THAT(text, HasSubstr("gated by probe"));
}

TEST_F(ShadowTest, DrainsCount) {
    service.drains = R"({"m":{"cluster":"worker-a","reason":"work"}})";
    EXPECT_EQ(shadow_weights(service, routed(), seen), "worker-a 0 (now 0), worker-b 0 (now 1)");
}

TEST_F(ShadowTest, OnlyTrueIsShadow) {
    for (const auto& value : {std::optional<std::string>(),
                              std::optional<std::string>("false"),
                              std::optional<std::string>("True"),
                              std::optional<std::string>("")}) {
        service.shadow = value;
        EXPECT_FALSE(routed().shadow) << value.value_or("absent");
        EXPECT_THAT(shadow_weights(service, routed(), seen), IsEmpty());
        const Plan plan = build_plan(service, routed(), seen);
        EXPECT_EQ(plan.spec.entries[1].weight, 0) << value.value_or("absent");
        EXPECT_THAT(explain(service, routed(), seen).shadow, IsEmpty());
    }
}

TEST_F(ShadowTest, AnotherWordIsASlip) {
    EXPECT_FALSE(shadow_problem(service));
    service.shadow = "yes";
    EXPECT_EQ(
        shadow_problem(service)->message,
        "metadata.annotations[\"ome-observer/shadow\"] \"yes\" is neither \"true\" nor \"false\" "
        "and has no effect");
}

}  // namespace
}  // namespace ome::routing
