// The guide "Traffic map": why a weight is zero, the conditions, and the staleness checks. The rows
// about Published are in guide_published_test.cpp.
#include "integration/guide_world.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>

namespace ome::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* failing = R"({"poll":{"report":4},"probe":{"status":503}})";
constexpr const char* empty = R"({"poll":{"report":0}})";
constexpr const char* no_reporter = R"({"poll":{"gone":true}})";

std::string drain(const std::string& id, const std::string& cluster) {
    return R"("ome.io/traffic-drain": '{")" + id + R"(":{"cluster":")" + cluster +
           R"(","reason":"planned maintenance"}}')";
}

// The chart's probe, but for what becomes of traffic when all fail.
constexpr const char* draining_probe =
    "probe: {path: /v1/models, method: GET, acceptStatuses: [200], "
    "gateStatuses: [404, 500, 502, 503, 504], period: 1s, timeout: 500ms, failureThreshold: 2, "
    "successThreshold: 2, allFailedPolicy: Drain}";

}  // namespace

std::vector<GuideService> traffic_map_services() {
    return {
        {.name = "routable", .metadata = "uid: uid-of-routable"},
        {.name = "zero-drained", .annotations = drain("maintenance-a", "worker-a")},
        {.name = "zero-unready",
         .homes = {{.cluster = "worker-a", .ready = 0}, {.cluster = "worker-b"}}},
        {.name = "zero-reported",
         .homes = {{.cluster = "worker-a", .behaviour = empty}, {.cluster = "worker-b"}}},
        {.name = "zero-unadmitted",
         .homes = {{.cluster = "worker-a", .admitted = 0}, {.cluster = "worker-b"}}},
        {.name = "zero-gated",
         .homes = {{.cluster = "worker-a", .behaviour = failing}, {.cluster = "worker-b"}}},
        {.name = "preserved",
         .homes = {{.cluster = "worker-a", .behaviour = failing},
                   {.cluster = "worker-b", .behaviour = failing}}},
        {.name = "not-placed", .phase = "Pending"},
        {.name = "no-home",
         .homes = {{.cluster = "worker-a", .endpoint = ""},
                   {.cluster = "worker-b", .endpoint = ""}}},
        {.name = "all-drained",
         .homes = {{.cluster = "worker-a"}, {.cluster = "worker-b", .ready = 0}},
         .annotations = drain("maintenance-a", "worker-a")},
        {.name = "all-unready",
         .homes = {{.cluster = "worker-a", .ready = 0}, {.cluster = "worker-b", .ready = 0}}},
        {.name = "no-capacity",
         .homes = {{.cluster = "worker-a", .behaviour = empty},
                   {.cluster = "worker-b", .admitted = 0}}},
        {.name = "no-open-capacity",
         .homes = {{.cluster = "worker-a", .behaviour = failing},
                   {.cluster = "worker-b", .behaviour = empty}}},
        {.name = "all-failed",
         .homes = {{.cluster = "worker-a", .behaviour = failing},
                   {.cluster = "worker-b", .behaviour = failing}},
         .routing = draining_probe},
        {.name = "misspelt-drain", .annotations = drain("maintenance-a", "worker-aa")},
        {.name = "one-fallback",
         .homes = {{.cluster = "worker-a"}, {.cluster = "worker-b", .behaviour = no_reporter}}},
        {.name = "not-polled", .routing = "capacity: {disabled: true}"},
        {.name = "generations", .metadata = "generation: 7"},
        {.name = "made-anew", .metadata = "uid: first"},
        {.name = "earlier", .metadata = "uid: second"},
    };
}

namespace {

/// Waits until worker-a has weight 0 for the reason that `shown` looks for.
class WhyZero : public GuideTest {
protected:
    static bool becomes_zero(const std::string& name,
                             const std::function<bool(const routing::Entry&)>& shown) {
        return world().until([&] {
            const auto entry = world().entry(name, "worker-a");
            return entry && entry->weight == 0 && shown(*entry);
        });
    }
};

TEST_F(WhyZero, ADrainHoldsTheCluster) {
    EXPECT_TRUE(becomes_zero("zero-drained", [](const auto& entry) {
        return entry.drain_refs == std::vector<std::string>{"maintenance-a"} && entry.healthy;
    })) << world().map_text("zero-drained");
    EXPECT_TRUE(
        world().until([] { return world().entry("zero-drained", "worker-b")->weight > 0; }));
}

TEST_F(WhyZero, NoReplicaIsReady) {
    EXPECT_TRUE(becomes_zero("zero-unready", [](const auto& entry) { return !entry.healthy; }))
        << world().map_text("zero-unready");
    const std::string entry = world().entry_text("zero-unready", "worker-a");
    EXPECT_THAT(entry, HasSubstr("healthy: false"));
    EXPECT_THAT(entry, Not(HasSubstr(" ready:")));
}

TEST_F(WhyZero, TheClusterReportsThatItCanServeNothing) {
    EXPECT_TRUE(becomes_zero("zero-reported", [](const auto& entry) {
        return entry.capacity.reported == 0 && entry.healthy;
    })) << world().map_text("zero-reported");
    const std::string entry = world().entry_text("zero-reported", "worker-a");
    EXPECT_THAT(entry, Not(HasSubstr("allocated:")));
    EXPECT_THAT(entry, HasSubstr("source: Endpoint"));
    EXPECT_THAT(entry, HasSubstr("reported: 0"));
}

TEST_F(WhyZero, PlacementAdmittedNoReplica) {
    EXPECT_TRUE(becomes_zero("zero-unadmitted", [](const auto& entry) { return entry.healthy; }))
        << world().map_text("zero-unadmitted");
    const std::string entry = world().entry_text("zero-unadmitted", "worker-a");
    EXPECT_THAT(entry, Not(HasSubstr("allocated:")));
    EXPECT_THAT(entry, HasSubstr("source: ControlPlane"));
}

TEST_F(WhyZero, TheProbeGatedTheCluster) {
    EXPECT_TRUE(becomes_zero("zero-gated", [](const auto& entry) {
        return entry.probe && entry.probe->gated && !entry.healthy &&
               entry.probe->message == "HTTP 503";
    })) << world().map_text("zero-gated");
    const std::string entry = world().entry_text("zero-gated", "worker-a");
    EXPECT_THAT(entry, HasSubstr("gated: true"));
}

struct ConditionRow {
    const char* service;
    const char* type;
    const char* shown;
};

void PrintTo(const ConditionRow& row, std::ostream* out) {
    *out << row.type << " of " << row.service;
}

class Conditions : public GuideTest, public testing::WithParamInterface<ConditionRow> {};

TEST_P(Conditions, SaysWhy) {
    const ConditionRow& row = GetParam();
    EXPECT_TRUE(world().until([&] {
        return world().condition(row.service, row.type) == row.shown;
    })) << world().condition(row.service, row.type)
        << "\ninstead of\n"
        << row.shown;
}

std::string name_of(const testing::TestParamInfo<ConditionRow>& row) {
    return test_name(row.param.service);
}

INSTANTIATE_TEST_SUITE_P(
    Routable,
    Conditions,
    testing::Values(
        ConditionRow{"routable", "Routable", "True Routable: 2 home(s) serving"},
        ConditionRow{"preserved",
                     "Routable",
                     "True AllHomesProbeFailed: 2 home(s) have conclusive probe failures; "
                     "preserving traffic among homes with ready capacity"},
        ConditionRow{"not-placed",
                     "Routable",
                     "False NotPlaced: InferenceService is not Placed; no homes to route to yet"},
        ConditionRow{"no-home",
                     "Routable",
                     "False NoAddressableHome: placed, but no admitted home reports an addressable "
                     "endpoint"},
        ConditionRow{"all-drained",
                     "Routable",
                     "False TrafficDrain: manual traffic-drain overrides set all 2 route arm(s) to "
                     "zero"},
        ConditionRow{
            "all-unready",
            "Routable",
            "False AllHomesUnready: 2 home(s) addressable but none has ready replicas; all "
            "route weights are zero"},
        ConditionRow{"no-capacity",
                     "Routable",
                     "False NoRoutableCapacity: 2 home(s) addressable but none has positive "
                     "routable capacity; all route weights are zero"},
        ConditionRow{"no-open-capacity",
                     "Routable",
                     "False NoRoutableCapacity: 2 home(s) addressable but none has positive "
                     "routable capacity; all route weights are zero"},
        ConditionRow{"all-failed",
                     "Routable",
                     "False AllHomesProbeFailed: 2 home(s) have conclusive probe failures; all "
                     "route weights are zero"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OverrideActive,
    Conditions,
    testing::Values(
        ConditionRow{"zero-drained",
                     "OverrideActive",
                     "True OverridesApplied: 1 of 1 traffic-drain annotation override(s) active "
                     "across 1 route arm(s); inspect spec.entries[].drainRefs"},
        ConditionRow{"misspelt-drain",
                     "OverrideActive",
                     "False OverridesPending: 1 traffic-drain annotation override(s) pending; no "
                     "matching routable arm"},
        ConditionRow{"routable",
                     "OverrideActive",
                     "False NoOverrides: no traffic-drain annotation override is configured"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    CapacityFallback,
    Conditions,
    testing::Values(
        ConditionRow{"one-fallback",
                     "CapacityFallback",
                     "True EndpointCapacityUnavailable: 1 of 2 home(s) are using control-plane "
                     "capacity; inspect spec.entries[].capacity.fallbackReason"},
        ConditionRow{"routable",
                     "CapacityFallback",
                     "False EndpointCapacityAvailable: endpoint capacity is available for all 2 "
                     "home(s)"},
        ConditionRow{"not-polled",
                     "CapacityFallback",
                     "False CapacityPollingDisabled: endpoint capacity polling is disabled"},
        ConditionRow{"not-placed",
                     "CapacityFallback",
                     "False NoCapacityTargets: no addressable homes require endpoint capacity"}),
    name_of);

TEST_F(GuideTest, AnEmptyTableHasNoEntries) {
    for (const char* name : {"not-placed", "no-home"}) {
        ASSERT_TRUE(world().until([&] { return world().map(name).has_value(); })) << name;
        EXPECT_THAT(world().map(name)->spec.entries, ElementsAre()) << name;
    }
}

TEST_F(GuideTest, TheMapTellsWhichGenerationOfTheServiceItIsOf) {
    const auto observed = [] {
        const auto map = world().map("generations");
        return map ? map->spec.observed_isvc_generation : 0;
    };
    EXPECT_TRUE(world().until([&] { return observed() == 7; })) << observed();
    GuideService next = world().service("generations").with("capacityFactors: {worker-a: \"2\"}");
    next.metadata = "generation: 8";
    world().put(next);
    EXPECT_TRUE(world().until([&] { return observed() == 8; })) << observed();
}

TEST_F(GuideTest, TheConditionsAreOfTheMapsGeneration) {
    EXPECT_TRUE(world().until([] {
        const auto map = world().map("routable");
        return map && map->status.conditions.size() == 5 && map->meta.generation > 1 &&
               std::ranges::all_of(map->status.conditions, [&](const auto& condition) {
                   return condition.observed_generation == map->meta.generation;
               });
    })) << world().map_text("routable");
}

TEST_F(GuideTest, TheMapTellsWhichServiceItIsOf) {
    const auto source = [](const std::string& name) {
        const auto map = world().map(name);
        return map ? map->status.source_uid : "no map";
    };
    EXPECT_TRUE(world().until([&] { return source("routable") == "uid-of-routable"; }));
    ASSERT_TRUE(world().until([&] { return source("made-anew") == "first"; }));
    const std::string before = world().map("made-anew")->meta.uid;
    GuideService next = world().service("made-anew");
    next.metadata = "uid: second";
    world().put(next);
    // The folder clears away what the first one left, as a cluster does.
    EXPECT_TRUE(world().until([&] { return source("made-anew") == "second"; }));
    EXPECT_NE(world().map("made-anew")->meta.uid, before);
}

TEST_F(GuideTest, AMapOfAnEarlierServiceIsLeftAlone) {
    EXPECT_TRUE(world().until([] {
        return world().frozen("earlier") ==
               "TrafficMap demo/earlier source UID \"first\" does not match InferenceService UID "
               "\"second\"";
    })) << world().frozen("earlier");
    EXPECT_EQ(world().map("earlier")->status.source_uid, "first");
}

TEST_F(GuideTest, TheTimeOfTheLastProbeMoves) {
    EXPECT_TRUE(world().time_goes_on()) << world().map_text("routable");
}

}  // namespace
}  // namespace ome::test
