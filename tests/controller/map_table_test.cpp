#include "map_table.hpp"

#include <gtest/gtest.h>

namespace ome::controller {
namespace {

routing::Entry serving() {
    routing::Entry entry;
    entry.cluster = "a";
    entry.weight = 1;
    entry.healthy = true;
    entry.capacity.allocated = 2;
    entry.capacity.ready = 2;
    return entry;
}

routing::EntryProbe gate() {
    routing::EntryProbe probe;
    probe.gated = true;
    probe.message = "HTTP 503";
    return probe;
}

// The rows of the guide's "Why a cluster's weight is zero", in its order.
TEST(EntryReason, TakesTheFirstThatApplies) {
    routing::Entry entry = serving();
    EXPECT_EQ(entry_reason(entry), "");
    entry.weight = 0;
    EXPECT_EQ(entry_reason(entry), "withdrawn by the placement plan");
    entry.probe = gate();
    EXPECT_EQ(entry_reason(entry), "HTTP 503");
    entry.capacity.allocated = 0;
    EXPECT_EQ(entry_reason(entry), "no replica admitted");
    entry.capacity.source = routing::CapacitySource::Endpoint;
    entry.capacity.reported = 0;
    EXPECT_EQ(entry_reason(entry), "reports that it can serve nothing");
    entry.capacity.ready = 0;
    EXPECT_EQ(entry_reason(entry), "no ready replica");
    entry.drain_refs = {"a", "b"};
    EXPECT_EQ(entry_reason(entry), "drained by a, b");
}

TEST(EntryReason, SaysWhatTheWeightRestsOn) {
    routing::Entry entry = serving();
    entry.capacity.fallback_reason = "no capacity report yet";
    EXPECT_EQ(entry_reason(entry), "no capacity report yet");
    entry.probe = gate();
    EXPECT_EQ(entry_reason(entry), "traffic preserved: HTTP 503");
}

TEST(MapTable, HasARowForAnEmptyMap) {
    routing::TrafficMap map;
    map.meta.key = {"ns", "x"};
    map.status.conditions.push_back({.type = "Routable",
                                     .status = "False",
                                     .reason = "NotPlaced",
                                     .message = "not yet",
                                     .last_transition_time = {},
                                     .observed_generation = 1});
    const auto rows = map_table_rows(map);
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].size(), map_table_heading().size());
    EXPECT_EQ(rows[0][0].text, "ns/x");
    EXPECT_EQ(rows[0].back().text, "NotPlaced: not yet");
}

TEST(MapTable, SharesAddUp) {
    routing::TrafficMap map;
    map.meta.key = {"ns", "x"};
    map.spec.entries = {serving(), serving(), serving()};
    map.spec.entries[0].weight = 1'000'000;
    map.spec.entries[1].weight = 1'000'000;
    map.spec.entries[2].weight = 0;
    const auto rows = map_table_rows(map);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0][3].text, "50.0%");
    EXPECT_EQ(rows[2][3].text, "0.0%");
    for (routing::Entry& entry : map.spec.entries) {
        entry.weight = 0;
    }
    EXPECT_EQ(map_table_rows(map)[0][3].text, "-");
}

TEST(MapTable, KeepsForeignTextsHarmless) {
    routing::TrafficMap map;
    map.meta.key = {"ns", "x"};
    map.spec.entries = {serving()};
    map.spec.entries[0].cluster = "a\x1b[31mb\n";
    map.spec.entries[0].capacity.fallback_reason = "x\ny";
    const auto rows = map_table_rows(map);
    EXPECT_EQ(rows[0][1].text.find_first_of("\x1b\n"), std::string::npos);
    EXPECT_EQ(rows[0].back().text, "x y");
}

}  // namespace
}  // namespace ome::controller
