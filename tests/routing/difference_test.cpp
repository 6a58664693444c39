#include <ome/routing/traffic_pass.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

TrafficMapSpec some_spec() {
    TrafficMapSpec spec;
    spec.service = "svc";
    Entry& entry = spec.entries.emplace_back();
    entry.cluster = "a";
    entry.weight = 3;
    entry.capacity.factor = "1500m";
    EntryProbe& probe = entry.probe.emplace();
    probe.gated = true;
    probe.consecutive_failures = 3;
    probe.last_probe_time = core::WallTime{100, 0};
    return spec;
}

core::Policies threshold_of_3() {
    core::Policies policies;
    policies.probe.emplace().failure_threshold = 3;
    return policies;
}

template <typename Change>
Difference after(Change change) {
    TrafficMapSpec wanted = some_spec();
    change(wanted.entries.front());
    return difference(some_spec(), wanted, threshold_of_3());
}

TEST(DifferenceTest, MeaningCountsNotSpelling) {
    EXPECT_EQ(after([](Entry&) {}), Difference::None);
    EXPECT_EQ(after([](Entry& e) { e.capacity.factor = "1.5"; }), Difference::None);
    EXPECT_EQ(after([](Entry& e) { e.probe->last_probe_time->nanoseconds = 7; }), Difference::None);
}

TEST(DifferenceTest, TimesAndCountsPastTheThresholdCanWait) {
    EXPECT_EQ(after([](Entry& e) { e.probe->last_probe_time->seconds = 110; }),
              Difference::TimesAlone);
    EXPECT_EQ(after([](Entry& e) { e.probe->consecutive_failures = 4; }), Difference::TimesAlone);
    EXPECT_EQ(after([](Entry& e) { e.probe->consecutive_failures = 2; }), Difference::Substance);
}

TEST(DifferenceTest, EverythingElseIsSubstance) {
    EXPECT_EQ(after([](Entry& e) { e.weight = 0; }), Difference::Substance);
    EXPECT_EQ(after([](Entry& e) { e.capacity.factor = "2"; }), Difference::Substance);
    EXPECT_EQ(after([](Entry& e) { e.capacity.reported = 0; }), Difference::Substance);
    EXPECT_EQ(after([](Entry& e) { e.drain_refs = {"d"}; }), Difference::Substance);
    EXPECT_EQ(after([](Entry& e) { e.probe->message = "HTTP 200"; }), Difference::Substance);
    EXPECT_EQ(after([](Entry& e) { e.probe.reset(); }), Difference::Substance);
    TrafficMapSpec wanted = some_spec();
    wanted.observed_isvc_generation = 8;
    EXPECT_EQ(difference(some_spec(), wanted, threshold_of_3()), Difference::Substance);
}

}  // namespace
}  // namespace ome::routing
