// The guide "Tune routing capacity polling", from step 3 on.
#include "integration/guide_world.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <ostream>

namespace ome::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* gauge = "ome_trafficmap_capacity_fallback_homes";

std::string poll_answers(const std::string& behaviour) {
    return R"({"poll":)" + behaviour + "}";
}

GuideService one_without(const std::string& name, const std::string& behaviour) {
    return {.name = name,
            .homes = {{.cluster = "worker-a"},
                      {.cluster = "worker-b", .behaviour = poll_answers(behaviour)}}};
}

std::string poll(const std::string& times, int samples, int quorum) {
    return fmt::format(
        "capacity: {{path: /capacity, method: GET, format: Report, samples: {}, quorum: {}, {}}}",
        samples,
        quorum,
        times);
}

struct FallbackRow {
    GuideService service;
    std::string reason;  ///< a regular expression
};

void PrintTo(const FallbackRow& row, std::ostream* out) {
    *out << row.service.name;
}

const std::vector<FallbackRow>& fallback_rows() {
    static const std::vector<FallbackRow> all{
        {one_without("poll-404", R"({"gone":true})"), "capacity endpoint returned HTTP 404"},
        {one_without("poll-503", R"({"status":503})"), "capacity endpoint returned HTTP 503"},
        {one_without("poll-301", R"({"status":301})"), "capacity endpoint returned HTTP 301"},
        {one_without("poll-reset", R"({"reset":true})"), "capacity endpoint unreachable: .+"},
        {one_without("poll-slow", R"({"stall":"before-head"})"),
         "capacity endpoint unreachable: .*context deadline exceeded"},
        {one_without("poll-no-json", R"({"body":"4 replicas"})"),
         "capacity response is not a valid report: .+"},
        {one_without("poll-no-count", R"({"body":"{\"observedAt\":\"2026-09-28T10:00:00Z\"}"})"),
         "capacity report has no servable count"},
        {one_without("poll-no-stamp", R"({"body":"{\"servable\":4}"})"),
         "capacity report has no observedAt stamp"},
        {one_without("poll-negative", R"({"report":-1})"), "capacity report is negative \\(-1\\)"},
        {one_without("poll-future", R"({"report":4,"skew":"1h"})"),
         "capacity report timestamp is in the future"},
        {one_without("poll-stale", R"({"report":4,"age":"45s"})"),
         "capacity report is stale \\(at least configured maximum age 30s\\)"},
        {one_without("poll-too-long", R"({"report":4,"oversize":100000})"),
         "reading capacity response: response exceeds configured limit of 65536 bytes"},
        {one_without("poll-cut", R"({"report":4,"close":"in-body"})"),
         "reading capacity response: unexpected EOF"},
        {one_without("poll-stuck", R"({"report":4,"stall":"in-body"})"),
         "reading capacity response: context deadline exceeded"},
        // The third poll is an hour away.
        {one_without("poll-quorum", R"({"report":4})")
             .with(poll("period: 1h, timeout: 500ms, maxAge: 3h", 3, 3)),
         "capacity report awaiting quorum \\([12]/3 accepted samples\\)"},
        // Of three reports that follow each other one or two are already old.
        {one_without("poll-expired",
                     R"({"steps":[{"report":4},{"report":4,"age":"5s"}],"cycle":true})")
             .with(poll("period: 2s, timeout: 1500ms, maxAge: 6s", 3, 3)),
         "capacity report awaiting quorum after stale samples expired "
         "\\([12]/3 accepted samples\\)"},
        {one_without("poll-none-yet", R"({"report":4,"stall":"before-head"})")
             .with(poll("period: 1h, timeout: 10m, maxAge: 2h", 3, 1)),
         "no capacity report yet"},
        {{.name = "poll-no-scheme",
          .homes = {{.cluster = "worker-a"},
                    {.cluster = "worker-b", .endpoint = "//worker-b.test"}}},
         "capacity target is invalid: .+"},
    };
    return all;
}

}  // namespace

std::vector<GuideService> capacity_services() {
    std::vector<GuideService> all{
        {.name = "reporting",
         .homes = {{.cluster = "worker-a", .behaviour = poll_answers(R"({"report":3})")},
                   {.cluster = "worker-b", .behaviour = poll_answers(R"({"report":1})")}}},
        one_without("poll-off", R"({"gone":true})"),
        {.name = "nothing-left",
         .homes = {{.cluster = "worker-a",
                    .behaviour = R"({"poll":{"report":0},"probe":{"status":503}})"},
                   {.cluster = "worker-b",
                    .behaviour = R"({"poll":{"report":0},"probe":{"status":503}})"}}},
    };
    for (const FallbackRow& row : fallback_rows()) {
        all.push_back(row.service);
    }
    return all;
}

namespace {

class Capacity : public GuideTest {
protected:
    static std::string table(const std::string& name) {
        const auto map = world().map(name);
        return map ? table_of(*map) : "no map";
    }

    /// With the condition CapacityFallback.
    static std::string shown(const std::string& name) {
        return table(name) + world().condition(name, "CapacityFallback") + "\n";
    }

    static std::string fallback_lines(const std::string& name) {
        const auto map = world().map(name);
        std::string text;
        for (const routing::Entry& entry :
             map ? map->spec.entries : std::vector<routing::Entry>{}) {
            text += fmt::format("{}: {}\n", entry.cluster, entry.capacity.fallback_reason);
        }
        return text;
    }
};

TEST_F(Capacity, TheTableShowsWhoseCeilingCounts) {
    EXPECT_TRUE(world().until([] {
        return shown("reporting") ==
               "worker-a 2 2 2 ControlPlane 3\n"
               "worker-b 1 1 2 Endpoint 1\n"
               "False EndpointCapacityAvailable: endpoint capacity is available for all 2 "
               "home(s)\n";
    })) << shown("reporting");
    EXPECT_TRUE(world().until([] { return world().metric(gauge, "reporting") == "0"; }))
        << world().metric(gauge, "reporting");
}

TEST_F(Capacity, AHomeWithoutAReporterFallsBackToItsAdmittedReplicas) {
    EXPECT_TRUE(world().until([] {
        return shown("poll-404") + fallback_lines("poll-404") ==
               "worker-a 1 2 2 ControlPlane 4\n"
               "worker-b 1 2 2 ControlPlane -\n"
               "True EndpointCapacityUnavailable: 1 of 2 home(s) are using control-plane "
               "capacity; inspect spec.entries[].capacity.fallbackReason\n"
               "worker-a: \n"
               "worker-b: capacity endpoint returned HTTP 404\n";
    })) << shown("poll-404")
        << fallback_lines("poll-404");
    EXPECT_TRUE(world().until([] { return world().metric(gauge, "poll-404") == "1"; }))
        << world().metric(gauge, "poll-404");
}

TEST_F(Capacity, ACeilingOfZeroHoldsEvenWhenTrafficIsPreserved) {
    EXPECT_TRUE(world().until([] {
        const auto entry = world().entry("nothing-left", "worker-a");
        return entry && entry->probe && entry->probe->gated &&
               table("nothing-left") ==
                   "worker-a 0 0 2 Endpoint 0\n"
                   "worker-b 0 0 2 Endpoint 0\n" &&
               world().condition("nothing-left", "Routable") ==
                   "False NoRoutableCapacity: 2 home(s) addressable but none has positive "
                   "routable capacity; all route weights are zero";
    })) << world().map_text("nothing-left");
}

TEST_F(Capacity, TurnedOffItLeavesNoReasonAndNoSeries) {
    ASSERT_TRUE(world().until([] { return world().metric(gauge, "poll-off") == "1"; }));
    world().put(world().service("poll-off").with("capacity: {disabled: true}"));
    EXPECT_TRUE(world().until([] {
        return world().condition("poll-off", "CapacityFallback") ==
               "False CapacityPollingDisabled: endpoint capacity polling is disabled";
    })) << world().condition("poll-off", "CapacityFallback");
    EXPECT_EQ(table("poll-off"),
              "worker-a 1 2 2 ControlPlane -\n"
              "worker-b 1 2 2 ControlPlane -\n");
    EXPECT_THAT(world().map_text("poll-off"), Not(HasSubstr("fallbackReason")));
    EXPECT_TRUE(world().until([] { return world().metric(gauge, "poll-off").empty(); }));
}

TEST_F(Capacity, AHomeThatCannotBeAskedHasAWeightAndNoProbe) {
    EXPECT_TRUE(world().until([] {
        const auto entry = world().entry("poll-no-scheme", "worker-b");
        return entry && entry->weight == 1 && entry->healthy;
    })) << world().map_text("poll-no-scheme");
    EXPECT_THAT(world().entry_text("poll-no-scheme", "worker-b"), Not(HasSubstr("probe:")));
}

class HomesWithoutCeiling : public Capacity, public testing::WithParamInterface<FallbackRow> {};

TEST_P(HomesWithoutCeiling, SayWhyAndCountAsAdmitted) {
    const std::string& name = GetParam().service.name;
    const auto says_why = [&] {
        const auto entry = world().entry(name, "worker-b");
        return entry &&
               testing::Matches(testing::MatchesRegex(GetParam().reason))(
                   entry->capacity.fallback_reason) &&
               entry->capacity.allocated == 2 && !entry->capacity.reported &&
               entry->capacity.source == routing::CapacitySource::ControlPlane;
    };
    EXPECT_TRUE(world().until(says_why)) << world().entry_text(name, "worker-b");
}

INSTANTIATE_TEST_SUITE_P(Guide,
                         HomesWithoutCeiling,
                         testing::ValuesIn(fallback_rows()),
                         [](const auto& row) { return test_name(row.param.service.name); });

}  // namespace
}  // namespace ome::test
