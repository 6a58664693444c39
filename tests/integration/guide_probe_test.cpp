// The guide "Configure routing health probes", from step 3 on.
#include "integration/guide_world.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <ostream>

namespace ome::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* passing = R"({"poll":{"report":4}})";

std::string probe_answers(const std::string& behaviour) {
    return R"({"poll":{"report":4},"probe":)" + behaviour + "}";
}

std::string guide_probe(int failures, int successes) {
    return fmt::format(
        "probe: {{path: /v1/models, method: GET, acceptStatuses: [200], "
        "gateStatuses: [404, 500, 502, 503, 504], period: 1s, timeout: 900ms, "
        "failureThreshold: {}, successThreshold: {}, allFailedPolicy: PreserveTraffic}}",
        failures,
        successes);
}

/// worker-a passes; what worker-b does to its probe.
GuideService one_bad(const std::string& name, const std::string& behaviour) {
    return {.name = name,
            .homes = {{.cluster = "worker-a"},
                      {.cluster = "worker-b", .behaviour = probe_answers(behaviour)}}};
}

GuideService at_endpoint(const std::string& name, const std::string& endpoint) {
    return {.name = name,
            .homes = {{.cluster = "worker-a"}, {.cluster = "worker-b", .endpoint = endpoint}}};
}

struct GateRow {
    GuideService service;
    std::string message;  ///< a regular expression
};

void PrintTo(const GateRow& row, std::ostream* out) {
    *out << row.service.name;
}

const std::vector<GateRow>& gate_rows() {
    static const std::vector<GateRow> all{
        {one_bad("probe-404", R"({"gone":true})"), "HTTP 404"},
        {one_bad("probe-503", R"({"status":503})"), "HTTP 503"},
        {one_bad("probe-500", R"({"status":500})"), "HTTP 500"},
        {one_bad("probe-reset", R"({"reset":true})"), "transport error: .+"},
        {one_bad("probe-slow", R"({"stall":"before-head"})"),
         "transport error: context deadline exceeded"},
        {at_endpoint("probe-refused", "http://127.0.0.1:1"), "transport error: .+"},
        {at_endpoint("probe-name", "http://nowhere.test"), "transport error: .+"},
        {one_bad("probe-cut", R"({"body":"models","close":"in-body"})"),
         "response body error: unexpected EOF"},
        {one_bad("probe-stuck", R"({"body":"models","stall":"in-body"})"),
         "response body error: context deadline exceeded"},
    };
    return all;
}

}  // namespace

std::vector<GuideService> probe_services() {
    std::vector<GuideService> all{
        {.name = "qwen3-0-6b",
         .homes = {{.cluster = "worker-a"},
                   {.cluster = "worker-b", .behaviour = probe_answers(R"({"status":503})")}},
         .routing = guide_probe(3, 2),
         .ns = "qwen3-0-6b"},
        one_bad("probe-recovering", R"({"status":[503,503,200]})").with(guide_probe(2, 1000)),
        one_bad("probe-none-yet", R"({"stall":"before-head"})")
            .with("probe: {path: /v1/models, method: GET, acceptStatuses: [200], gateStatuses: "
                  "[503], period: 1h, timeout: 10m, failureThreshold: 3, successThreshold: 2, "
                  "allFailedPolicy: Drain}"),
        one_bad("probe-301", R"({"status":301})").with(guide_probe(3, 2)),
        one_bad("probe-off", R"({"status":503})"),
        one_bad("probe-changed", R"({"status":503})"),
        one_bad("opted-out", R"({"status":503})"),
    };
    for (const GateRow& row : gate_rows()) {
        all.push_back(row.service);
    }
    return all;
}

namespace {

class Probe : public GuideTest {
protected:
    /// Cluster, weight, health, result and message, as the guide's command prints them.
    static std::string lines(const std::string& name) {
        const auto map = world().map(name);
        std::string text;
        for (const routing::Entry& entry :
             map ? map->spec.entries : std::vector<routing::Entry>{}) {
            text += fmt::format("{} {} {} {} {}\n",
                                entry.cluster,
                                entry.weight,
                                entry.healthy,
                                entry.probe ? core::to_string(entry.probe->result) : "",
                                entry.probe ? entry.probe->message : "");
        }
        return text;
    }

    static bool becomes_gated(const std::string& name) {
        return world().until([&] {
            const auto entry = world().entry(name, "worker-b");
            return entry && entry->probe && entry->probe->gated && entry->weight == 0 &&
                   !entry->healthy;
        });
    }

    static bool is_open(const std::string& name) {
        const auto entry = world().entry(name, "worker-b");
        return entry && entry->weight == 1 && entry->healthy;
    }
};

TEST_F(Probe, TheTableShowsWhoPassesAndWhoIsGated) {
    EXPECT_TRUE(world().until([] {
        return lines("qwen3-0-6b") ==
               "worker-a 1 true Passing HTTP 200\n"
               "worker-b 0 false Failing HTTP 503\n";
    })) << lines("qwen3-0-6b");
    EXPECT_GE(world().entry("qwen3-0-6b", "worker-b")->probe->consecutive_failures, 3);
}

TEST_F(Probe, BothPass) {
    EXPECT_TRUE(world().until([] {
        return lines("routable") ==
               "worker-a 1 true Passing HTTP 200\n"
               "worker-b 1 true Passing HTTP 200\n";
    })) << lines("routable");
}

TEST_F(Probe, TheBlockLeavesOutWhatIsNotSet) {
    ASSERT_TRUE(becomes_gated("qwen3-0-6b"));
    EXPECT_THAT(world().entry_text("qwen3-0-6b", "worker-b"),
                AllOf(HasSubstr("result: Failing"),
                      HasSubstr("message: "),
                      HasSubstr("gated: true"),
                      HasSubstr("consecutiveFailures: "),
                      HasSubstr("lastProbeTime: ")));
    EXPECT_TRUE(world().until([] {
        return testing::Matches(AllOf(HasSubstr("result: Passing"),
                                      HasSubstr("lastProbeTime: "),
                                      Not(HasSubstr("gated: ")),
                                      Not(HasSubstr("consecutiveFailures: "))))(
            world().entry_text("qwen3-0-6b", "worker-a"));
    })) << world().entry_text("qwen3-0-6b", "worker-a");
}

TEST_F(Probe, AGateStaysWhileTheResultPasses) {
    EXPECT_TRUE(world().until([] {
        return lines("probe-recovering") ==
                   "worker-a 1 true Passing HTTP 200\n"
                   "worker-b 0 false Passing HTTP 200\n" &&
               testing::Matches(
                   AllOf(HasSubstr("gated: true"), Not(HasSubstr("consecutiveFailures: "))))(
                   world().entry_text("probe-recovering", "worker-b"));
    })) << world().map_text("probe-recovering");
}

TEST_F(Probe, AHomeThatWasNotProbedYetHasNoBlock) {
    EXPECT_TRUE(world().until([] {
        const auto entry = world().entry("probe-none-yet", "worker-a");
        return entry && entry->probe && is_open("probe-none-yet");
    })) << world().map_text("probe-none-yet");
    EXPECT_THAT(world().entry_text("probe-none-yet", "worker-b"), Not(HasSubstr("probe:")));
}

TEST_F(Probe, AllFailedPolicyPreserveTrafficIgnoresTheGates) {
    EXPECT_TRUE(world().until([] {
        return lines("preserved") ==
               "worker-a 1 false Failing HTTP 503\n"
               "worker-b 1 false Failing HTTP 503\n";
    })) << lines("preserved");
    EXPECT_EQ(world().condition("preserved", "Routable"),
              "True AllHomesProbeFailed: 2 home(s) have conclusive probe failures; preserving "
              "traffic among homes with ready capacity");
}

TEST_F(Probe, AllFailedPolicyDrainLeavesTheWeightsAtZero) {
    EXPECT_TRUE(world().until([] {
        return lines("all-failed") ==
               "worker-a 0 false Failing HTTP 503\n"
               "worker-b 0 false Failing HTTP 503\n";
    })) << lines("all-failed");
    EXPECT_EQ(world().condition("all-failed", "Routable"),
              "False AllHomesProbeFailed: 2 home(s) have conclusive probe failures; all route "
              "weights are zero");
}

TEST_F(Probe, TurnedOffItLiftsTheGatesAndLeavesNoBlock) {
    ASSERT_TRUE(becomes_gated("probe-off"));
    world().put(world().service("probe-off").with("probe: {disabled: true}"));
    EXPECT_TRUE(world().until([] { return is_open("probe-off"); })) << lines("probe-off");
    EXPECT_THAT(world().map_text("probe-off"), Not(HasSubstr("probe:")));
    world().put(world().service("probe-off"));  // back to the chart's probe
    EXPECT_TRUE(becomes_gated("probe-off")) << lines("probe-off");
}

TEST_F(Probe, AnotherSettingLiftsTheGatesAndCountsAnew) {
    ASSERT_TRUE(becomes_gated("probe-changed"));
    world().put(world().service("probe-changed").with(guide_probe(1000, 2)));
    EXPECT_TRUE(world().until([] {
        const auto entry = world().entry("probe-changed", "worker-b");
        return is_open("probe-changed") && entry->probe && entry->probe->consecutive_failures > 0;
    })) << lines("probe-changed");
}

TEST_F(Probe, OutOfRoutingAServiceHasNoMap) {
    ASSERT_TRUE(becomes_gated("opted-out"));
    world().put(world().service("opted-out").with("enabled: false"));
    EXPECT_TRUE(world().until([] { return world().map_text("opted-out").empty(); }));
}

TEST_F(Probe, AStatusOfNeitherListNeverGates) {
    const auto open = [] {
        return world().until([] {
            return lines("probe-301") ==
                   "worker-a 1 true Passing HTTP 200\n"
                   "worker-b 1 true Unknown HTTP 301 (not in accept or gate list)\n";
        });
    };
    EXPECT_TRUE(open()) << lines("probe-301");
    EXPECT_TRUE(world().time_goes_on() && world().time_goes_on());
    EXPECT_TRUE(open()) << lines("probe-301");  // a gate would never be lifted
}

class GatedHomes : public Probe, public testing::WithParamInterface<GateRow> {};

TEST_P(GatedHomes, SayWhatTheLastAttemptGot) {
    const std::string& name = GetParam().service.name;
    ASSERT_TRUE(becomes_gated(name)) << world().map_text(name);
    EXPECT_THAT(world().entry(name, "worker-b")->probe->message,
                testing::MatchesRegex(GetParam().message));
    EXPECT_TRUE(world().until([&] { return world().entry(name, "worker-a")->healthy; }));
}

INSTANTIATE_TEST_SUITE_P(Guide, GatedHomes, testing::ValuesIn(gate_rows()), [](const auto& row) {
    return test_name(row.param.service.name);
});

}  // namespace
}  // namespace ome::test
