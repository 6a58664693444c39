#include <ome/routing/map_changes.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

TrafficMapSpec one_home(Entry entry = {}) {
    entry.cluster = "worker-a";
    TrafficMapSpec spec;
    spec.entries.push_back(std::move(entry));
    return spec;
}

Entry gated() {
    Entry entry;
    entry.probe = EntryProbe{.policy_digest = {},
                             .result = core::ProbeResult::Failing,
                             .gated = true,
                             .consecutive_failures = 3,
                             .message = "HTTP 503"};
    return entry;
}

Entry reporting(std::int32_t replicas) {
    Entry entry;
    entry.capacity = {.source = CapacitySource::Endpoint, .reported = replicas};
    return entry;
}

Entry silent(std::string reason) {
    Entry entry;
    entry.capacity.fallback_reason = std::move(reason);
    return entry;
}

Entry drained(std::vector<std::string> by) {
    Entry entry;
    entry.drain_refs = std::move(by);
    return entry;
}

std::string told(const TrafficMapSpec& before, const TrafficMapSpec& after) {
    std::string text;
    for (const MapChange& change : map_changes(before, after)) {
        text += (change.warning ? "! " : "") + std::string(change.reason) + ": " + change.message +
                "\n";
    }
    return text;
}

TEST(MapChanges, TellOfGates) {
    EXPECT_EQ(told(one_home(), one_home(gated())),
              "! GateClosed: worker-a is gated: 3 probe(s) in a row failed (HTTP 503)\n");
    EXPECT_EQ(told(one_home(gated()), one_home()),
              "GateLifted: worker-a is not held back by its probe any more\n");
    Entry later = gated();
    later.probe->consecutive_failures = 4;
    EXPECT_EQ(told(one_home(gated()), one_home(later)), "");
}

TEST(MapChanges, TellOfCeilingsThatWereThere) {
    const std::string stale = "capacity report is stale (at least configured maximum age 30s)";
    EXPECT_EQ(told(one_home(reporting(2)), one_home(silent(stale))),
              "! CeilingLost: worker-a counts as planned: " + stale + "\n");
    EXPECT_EQ(told(one_home(silent(stale)), one_home(reporting(0))),
              "CeilingBack: worker-a reports again: 0 replica(s) can serve\n");
    EXPECT_EQ(told(one_home(reporting(2)), one_home(reporting(1))), "");
    EXPECT_EQ(told(one_home(silent("no capacity report yet")), one_home(reporting(1))), "");
    EXPECT_EQ(
        told(one_home(silent("capacity report awaiting quorum (1/2)")), one_home(reporting(1))),
        "");
    EXPECT_EQ(told(one_home(reporting(1)), one_home(silent("no capacity report yet"))), "");
    EXPECT_EQ(told(one_home(reporting(1)), one_home()), "") << "polling was turned off";
}

TEST(MapChanges, TellOfEachDrainOfAMapThatIsNewToo) {
    EXPECT_EQ(told({}, one_home(drained({"a", "b"}))),
              "DrainApplied: worker-a is drained by a, b\n");
    EXPECT_EQ(told(one_home(drained({"a", "b"})), one_home(drained({"b", "c"}))),
              "DrainApplied: worker-a is drained by c\n"
              "DrainRemoved: worker-a is not drained by a any more\n");
    EXPECT_EQ(told(one_home(drained({"a"})), {}), "") << "the home is gone";
}

TEST(MapChanges, AreOneForAllHomesAndHarmless) {
    TrafficMapSpec before;
    TrafficMapSpec after;
    for (const char* cluster : {"a", "b"}) {
        before.entries.push_back({.cluster = cluster, .endpoint = {}});
        Entry entry = drained({"x\n\x1b[2J"});
        entry.cluster = cluster;
        after.entries.push_back(entry);
    }
    const auto changes = map_changes(before, after);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].message.find('\n'), std::string::npos);
    EXPECT_EQ(changes[0].message.find('\x1b'), std::string::npos);
    EXPECT_NE(changes[0].message.find("; b is drained"), std::string::npos) << changes[0].message;
}

}  // namespace
}  // namespace ome::routing
