#include <ome/routing/explanation.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

class ExplanationTest : public testing::Test {
protected:
    ExplanationTest() {
        service.key = {"prod", "svc"};
        service.routing.emplace();
        service.status.emplace().phase = "Placed";
        core::ProbePolicy& probe = routed.policies.probe.emplace();
        probe.failure_threshold = 3;
        routed.policies.capacity.emplace();
    }

    Candidate& add(const std::string& cluster,
                   std::int32_t admitted,
                   std::int32_t ready,
                   std::int32_t ceiling) {
        Candidate& candidate = service.status->candidates.emplace_back();
        candidate.cluster = cluster;
        candidate.phase = "Admitted";
        candidate.endpoint = "https://" + cluster + ".example";
        candidate.admitted_replicas = admitted;
        candidate.ready_replicas = ready;
        observed[cluster].capacity = CapacityObservation{ceiling, {}};
        return candidate;
    }

    ProbeObservation& gate(const std::string& cluster) {
        ProbeObservation& probe = observed[cluster].probe.emplace();
        probe.conclusive = true;
        probe.state.gated = true;
        probe.state.result = core::ProbeResult::Failing;
        probe.state.message = "HTTP 503";
        probe.state.consecutive_failures = 3;
        return probe;
    }

    [[nodiscard]] std::string line(std::size_t home) const {
        return explain(service, routed, observed).homes.at(home).text;
    }

    InferenceService service;
    RoutedService routed;
    Observations observed;
};

// 2026-09-28T10:03:20Z
constexpr core::WallTime ten_past{1'790'589'800, 0};

TEST_F(ExplanationTest, GatedHome) {
    add("worker-a", 2, 2, 3);
    add("worker-b", 2, 2, 1);
    ProbeObservation& probe = gate("worker-b");
    probe.gated_since = ten_past;
    probe.state.last_probe_time = core::WallTime{ten_past.seconds + 30, 0};
    EXPECT_EQ(
        line(0),
        "worker-a 1: admitted 2, ready 2, ceiling 3 -> 2; divided by the common divisor 2 -> 1");
    EXPECT_EQ(line(1),
              "worker-b 0: admitted 2, ready 2, ceiling 1 -> 1; gated by probe since 10:03:20 "
              "(HTTP 503, 3 failures) -> 0");
    EXPECT_EQ(explain(service, routed, observed).routable, "Routable: 2 home(s) serving");
    EXPECT_EQ(explain(service, routed, observed).homes.at(0).share, 1.0);
}

TEST_F(ExplanationTest, GateOfAnEarlierDayShowsTheDay) {
    add("a", 1, 1, 1);
    ProbeObservation& probe = gate("a");
    probe.gated_since = ten_past;
    probe.state.last_probe_time = core::WallTime{ten_past.seconds + 86'400, 0};
    probe.state.consecutive_failures = 0;
    probe.state.result = core::ProbeResult::Passing;
    probe.state.message = "HTTP 200";
    routed.policies.probe->all_failed_policy = core::AllFailedPolicy::Drain;
    EXPECT_EQ(line(0),
              "a 0: admitted 1, ready 1, ceiling 1 -> 1; gated by probe since 2026-09-28T10:03:20Z "
              "(HTTP 200, recovering) -> 0");
}

TEST_F(ExplanationTest, PreservedTrafficIsGivenBack) {
    add("a", 7, 7, 7);
    add("b", 3, 3, 3);
    gate("a");
    gate("b");
    EXPECT_EQ(
        line(1),
        "b 3: admitted 3, ready 3, ceiling 3 -> 3; gated by probe (HTTP 503, 3 failures) -> 0; "
        "all homes are gated and allFailedPolicy is PreserveTraffic -> 3");
}

TEST_F(ExplanationTest, FactorWithdrawalAndDrain) {
    service.routing->capacity_factors["a"] = "1.5";
    service.status->plan.emplace().mode = "Split";
    add("a", 1, 1, 9);
    add("b", 1, 1, 9).allocation.emplace() = {1, 1, true, true, false, true};
    routed.drains = {{"maintenance-a", "a", "planned\nmaintenance"}};
    EXPECT_EQ(line(0),
              "a 0: admitted 1, ready 1, ceiling 9 -> 1; factor 1.5 -> 1.5; divided by the common "
              "divisor 0.5 -> 3; drained by maintenance-a (planned maintenance) -> 0");
    EXPECT_EQ(line(1),
              "b 0: admitted 1, ready 1, ceiling 9 -> 1; divided by the common divisor 0.5 -> 2; "
              "withdrawn by the placement plan -> 0");
}

TEST_F(ExplanationTest, SaysWhyThereIsNoCeilingAndHowNearTheGateIs) {
    add("a", 2, 1, 0);
    observed["a"].capacity = CapacityObservation{{}, "capacity endpoint returned HTTP 404"};
    ProbeObservation& probe = gate("a");
    probe.state.gated = false;
    probe.state.consecutive_failures = 1;
    EXPECT_EQ(
        line(0),
        "a 1: admitted 2, ready 1, no ceiling (capacity endpoint returned HTTP 404) -> 1; not "
        "gated: 1 of 3 failures (HTTP 503) -> 1");
}

// Nothing else of it says why the traffic is gone.
TEST_F(ExplanationTest, NotesAPhaseThatThereIsNotAndAShadowThatSaysNothing) {
    add("a", 1, 1, 1);
    service.status->candidates[0].phase = "Admited";
    service.shadow = "yes";
    const auto notes = explain(service, routed, observed).notes;
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_TRUE(
        notes[0].starts_with("status.placement.candidates[0].phase: \"Admited\" is none "
                             "of Admitting, Placed, Admitted: the cluster \"a\" gets no "
                             "traffic"))
        << notes[0];
    EXPECT_EQ(notes[1],
              "metadata.annotations[\"ome-observer/shadow\"] \"yes\" is neither \"true\" nor "
              "\"false\" and has no effect");
}

TEST_F(ExplanationTest, NotesWhatNamesNoCandidate) {
    add("a", 1, 1, 1);
    service.routing->capacity_factors["z"] = "2";
    routed.drains = {{"m", "y", "r"}};
    const auto notes = explain(service, routed, observed).notes;
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_TRUE(notes[0].starts_with("the factor is for \"z\", ")) << notes[0];
    EXPECT_TRUE(notes[1].starts_with("the drain \"m\" is for \"y\", ")) << notes[1];
}

TEST_F(ExplanationTest, HugeFactorsStayReadable) {
    service.routing->capacity_factors["a"] = "3e100000";
    service.routing->capacity_factors["b"] = "2e2147483647";
    add("a", 1, 1, 1);
    add("b", 1, 1, 1);
    EXPECT_EQ(line(0),
              "a 1: admitted 1, ready 1, ceiling 1 -> 1; factor 30e99999 -> 3e100000; scaled so "
              "that the "
              "largest home has 1000000 -> 1");
    EXPECT_TRUE(line(1).ends_with("largest home has 1000000 -> 1000000")) << line(1);
}

}  // namespace
}  // namespace ome::routing
