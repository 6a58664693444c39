#include <ome/routing/observation.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

using namespace std::chrono_literals;

constexpr core::WallTime start{1'790'000'000, 0};

core::Policies both() {
    core::Policies policies;
    policies.probe.emplace().digest = "sha256:p";
    core::CapacityPolicy& capacity = policies.capacity.emplace();
    capacity.digest = "sha256:c";
    capacity.samples = 4;
    capacity.quorum = 2;
    capacity.max_age = 30s;
    return policies;
}

core::Sample sample(std::int32_t servable, core::Duration age) {
    const core::WallTime observed = start + -age;
    return {servable, observed, observed + 30s};
}

core::HomeReading reading() {
    core::HomeReading made;
    made.cluster = "a";
    made.endpoint = "https://***@a.example/";
    core::CapacityReading& capacity = made.capacity.emplace();
    capacity.policy_digest = "sha256:c";
    capacity.ceiling = 3;
    capacity.samples = {sample(2, 20s), sample(3, 10s), sample(5, 0s)};
    core::ProbeReading& probe = made.probe.emplace();
    probe.policy_digest = "sha256:p";
    probe.result = core::ProbeResult::Failing;
    probe.gated = true;
    probe.conclusive = true;
    probe.consecutive_failures = 3;
    probe.last_probe_time = core::WallTime{start.seconds, 250'000'000};
    return made;
}

constexpr std::string_view endpoint = "https://user:secret@A.example";

TEST(Observation, IsThatOfTheSameEndpointWhateverItsUserinfo) {
    const core::HomeReading read = reading();
    const HomeObservation home = project(&read, endpoint, both(), start);
    EXPECT_EQ(home.capacity->ceiling, 3);
    EXPECT_EQ(home.probe->reachable(), false);
    EXPECT_EQ(home.probe->state.last_probe_time, start);  // whole seconds
    const HomeObservation other = project(&read, "https://b.example", both(), start);
    EXPECT_EQ(other.capacity->fallback_reason, "no capacity report yet");
    EXPECT_FALSE(other.probe);
}

TEST(Observation, OtherPoliciesAreNotOurs) {
    core::HomeReading read = reading();
    read.capacity->policy_digest = "sha256:x";
    read.probe->policy_digest = "sha256:x";
    const HomeObservation home = project(&read, endpoint, both(), start);
    EXPECT_FALSE(home.capacity->ceiling);
    EXPECT_FALSE(home.probe);
    EXPECT_FALSE(project(&read, endpoint, {}, start).capacity);
    EXPECT_EQ(project(nullptr, endpoint, both(), start).capacity->fallback_reason,
              "no capacity report yet");
}

TEST(Observation, SaysWhatOfAReadingIsNotUsed) {
    core::HomeReading read = reading();
    EXPECT_TRUE(unused_parts(read, endpoint, both()).empty());
    const auto elsewhere = unused_parts(read, "https://u:p@b.example", both());
    ASSERT_EQ(elsewhere.size(), 1U);
    EXPECT_EQ(elsewhere[0].field, "endpoint");
    EXPECT_EQ(elsewhere[0].message,
              "endpoint is \"https://***@a.example/\", expected \"https://***@b.example\"");
    read.capacity->policy_digest = "sha256:x";
    core::Policies polled = both();
    polled.probe.reset();
    const auto parts = unused_parts(read, endpoint, polled);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].field, "capacity.policyDigest");
    EXPECT_EQ(parts[0].message, "capacity.policyDigest is \"sha256:x\", expected \"sha256:c\"");
    EXPECT_EQ(parts[1].message, "probe is given, expected none: it is off for the service");
}

TEST(Observation, SamplesGrowOldHere) {
    const core::HomeReading read = reading();
    const auto at = [&](core::Duration later) {
        return *project(&read, endpoint, both(), start + later).capacity;
    };
    EXPECT_EQ(at(9s).ceiling, 3);
    EXPECT_EQ(at(10s).ceiling, 5);  // 2 is gone: the second smallest of 3 and 5
    EXPECT_EQ(at(20s).fallback_reason,
              "capacity report awaiting quorum after stale samples expired (1/2 accepted samples)");
    EXPECT_EQ(at(30s).fallback_reason,
              "capacity report is stale (at least configured maximum age 30s)");
}

TEST(Observation, ReasonOfTheObserverStaysWhileNothingExpires) {
    core::HomeReading read = reading();
    read.capacity->ceiling.reset();
    read.capacity->fallback_reason =
        "capacity report awaiting quorum after stale samples expired (1/2 accepted samples)";
    read.capacity->samples = {sample(2, 0s)};
    EXPECT_EQ(project(&read, endpoint, both(), start).capacity->fallback_reason,
              read.capacity->fallback_reason);
}

TEST(Observation, CeilingWithoutSamplesHoldsUntilItSays) {
    core::HomeReading read = reading();
    read.capacity->samples.clear();
    EXPECT_EQ(project(&read, endpoint, both(), start + 1h).capacity->ceiling, 3);
    read.capacity->valid_until = start + 5s;
    EXPECT_EQ(project(&read, endpoint, both(), start + 4s).capacity->ceiling, 3);
    EXPECT_EQ(project(&read, endpoint, both(), start + 5s).capacity->fallback_reason,
              "capacity report is stale (at least configured maximum age 30s)");
}

TEST(Observation, WakesWhenASampleExpires) {
    core::HomeReading read = reading();
    EXPECT_EQ(next_change(read, start), start + 10s);
    EXPECT_EQ(next_change(read, start + 10s), start + 20s);
    EXPECT_EQ(next_change(read, start + 30s), std::nullopt);
    read.capacity->valid_until = start + 20s;
    EXPECT_EQ(next_change(read, start), start + 20s);
    read.capacity.reset();
    EXPECT_EQ(next_change(read, start), std::nullopt);
}

TEST(Observation, NothingConclusiveIsNoVerdict) {
    core::HomeReading read = reading();
    read.probe->conclusive = false;
    read.probe->gated = false;
    EXPECT_EQ(project(&read, endpoint, both(), start).probe->reachable(), std::nullopt);
}

}  // namespace
}  // namespace ome::routing
