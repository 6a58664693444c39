// What check_document says of InferenceServices and of values of the chart.
#include <ome/core/policy_rules.hpp>
#include <ome/wire/document_check.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ome::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// `3: message`, with `warning: ` before one.
std::vector<std::string> found(std::string_view text) {
    std::vector<std::string> lines;
    for (const Finding& finding : check_document(text, core::chart_limits()).findings) {
        lines.push_back(fmt::format("{}: {}{}",
                                    finding.line,
                                    finding.severity == Severity::Error ? "" : "warning: ",
                                    finding.problem.message));
    }
    return lines;
}

std::string manifest(const std::string& annotations, const std::string& spec) {
    return "kind: InferenceService\nmetadata:\n  name: x\n  annotations: {" + annotations +
           "}\nspec:\n" + spec +
           "status:\n  placement:\n    phase: Placed\n    candidates:\n    - cluster: a\n    - "
           "cluster: b\n";
}

constexpr const char* placement = "  placement: {policy: ClusterAffinity, mode: Split}\n";

TEST(InferenceServiceCheck, TakesAnOverrideThatDrains) {
    EXPECT_THAT(found("metadata:\n  annotations:\n    ome.io/traffic-drain: "
                      "'{\"m\":{\"cluster\":\"b\",\"reason\":\"r\"}}'\n"),
                IsEmpty());
    EXPECT_THAT(found("metadata:\n  annotations:\n    ome.io/traffic-drain: '[]'\n"),
                ElementsAre("3: parse ome.io/traffic-drain: top-level value must be a JSON object "
                            "keyed by override ID"));
}

TEST(InferenceServiceCheck, FindsNothingInAValidOne) {
    EXPECT_THAT(found(manifest("", placement)), IsEmpty());
    EXPECT_THAT(
        found(manifest("ome.io/traffic-drain: '{\"m\":{\"cluster\":\"b\",\"reason\":\"r\"}}'",
                       std::string(placement) + "  routing: {capacityFactors: {a: 2}}\n")),
        IsEmpty());
}

TEST(InferenceServiceCheck, TellsAFaultOnceThatTwoWouldRefuse) {
    const std::string routing =
        "  routing:\n    probe: {path: /h, method: GET, acceptStatuses: [200], gateStatuses: "
        "[500],\n"
        "      period: 10s, timeout: 3s, failureThreshold: 0, successThreshold: 1,\n"
        "      allFailedPolicy: Nope}\n    capacityFactors: {a: x}\n";
    std::map<std::string, int> fields;
    for (const Finding& finding :
         check_document(manifest("", placement + routing), core::chart_limits()).findings) {
        ++fields[finding.problem.field];
    }
    EXPECT_EQ(fields,
              (std::map<std::string, int>{{"spec.routing.probe.failureThreshold", 1},
                                          {"spec.routing.probe.allFailedPolicy", 1},
                                          {"spec.routing.capacityFactors[\"a\"]", 1}}));
}

TEST(InferenceServiceCheck, TellsWhatIsWrongWithThePlacement) {
    EXPECT_THAT(found(manifest("ome.io/cluster-selector: ''", placement)),
                ElementsAre("4: annotation ome.io/cluster-selector is unsupported; declare "
                            "spec.placement.mode and migrate restrictions to clusterAffinity"));
    EXPECT_THAT(found(manifest("", "  placement:\n    policy: ClusterAffinity\n")),
                ElementsAre("6: spec.placement.mode must explicitly select Single, All, Split, or "
                            "SplitByCapacity"));
    EXPECT_THAT(found(manifest("", "  placement: {mode: All}\n")),
                ElementsAre("6: spec.placement.policy must explicitly select ClusterAffinity"));
    EXPECT_THAT(found(manifest("", "  placement: {mode: 5}\n")),
                ElementsAre("6: spec.placement.mode: 5 must be a text"));
}

TEST(InferenceServiceCheck, TellsWhatIsWrongWithFactorsAndDrains) {
    EXPECT_THAT(
        found(manifest("",
                       std::string(placement) + "  routing:\n    capacityFactors:\n      a: -1\n")),
        ElementsAre("8: spec.routing.capacityFactors[\"a\"] must be positive, got \"-1\""));
    EXPECT_THAT(found(manifest("ome.io/traffic-drain: ''", placement)),
                ElementsAre("4: parse ome.io/traffic-drain: decode top-level object: EOF"));
}

TEST(InferenceServiceCheck, WarnsOfNamesThatAreNoCandidates) {
    EXPECT_THAT(
        found(manifest("", std::string(placement) + "  routing:\n    capacityFactors: {c: 2}\n")),
        ElementsAre(
            "8: warning: spec.routing.capacityFactors.c: the factor is for \"c\", which is "
            "no candidate of status.placement (these are: \"a\", \"b\"): it has no effect"));
    EXPECT_THAT(
        found(manifest("ome.io/traffic-drain: '{\"m\":{\"cluster\":\"B\",\"reason\":\"r\"}}'",
                       placement)),
        ElementsAre(
            "4: warning: metadata.annotations[\"ome.io/traffic-drain\"]: the drain \"m\" is "
            "for \"B\", which is no candidate of status.placement (these are: \"a\", "
            "\"b\"): it stays pending"));
    EXPECT_THAT(found("kind: InferenceService\nspec:\n  placement: {policy: ClusterAffinity, mode: "
                      "All}\n  routing: {capacityFactors: {c: 2}}\n"),
                IsEmpty())
        << "without candidates nobody knows";
}

TEST(InferenceServiceCheck, TellsWhatAnApiServerWouldSay) {
    EXPECT_THAT(
        found("kind: InferenceService\nspec:\n  routing:\n    probe: {disabled: true, path: "
              "/x}\n"),
        ElementsAre("4: disabled must not be combined with probe configuration fields",
                    "4: spec.routing.probe.disabled must not be combined with probe "
                    "configuration fields"));
}

TEST(InferenceServiceCheck, LooksIntoLists) {
    const CheckedDocument checked = check_document(
        "kind: List\nitems:\n- kind: InferenceService\n  spec:\n    placement: {mode: All}\n"
        "- kind: InferenceService\n  spec: {placement: {policy: ClusterAffinity, mode: All}}\n"
        "- kind: Secret\n",
        core::chart_limits());
    EXPECT_EQ(checked.kind, "InferenceService, other manifest");
    ASSERT_EQ(checked.findings.size(), 2U);
    EXPECT_EQ(checked.findings[0].line, 5U);
    EXPECT_EQ(checked.findings[0].problem.field, "items[0].spec.placement.policy");
    EXPECT_EQ(checked.findings[1].severity, Severity::Warning);
}

constexpr const char* guide_values = R"(ome:
  multicluster:
    enabled: true
    role: control-plane
    config:
      routing:
        enabled: true
        probe:
          path: /v1/models
          method: GET
          acceptStatuses: [200]
          gateStatuses: [404, 500, 502, 503, 504]
          period: 10s
          timeout: 3s
          failureThreshold: 3
          successThreshold: 2
          allFailedPolicy: PreserveTraffic
)";

std::string changed(std::string_view from, std::string_view to) {
    std::string text = guide_values;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, from.size(), to);
}

TEST(ChartValues, OfTheGuideAreValid) {
    const CheckedDocument checked = check_document(guide_values, core::chart_limits());
    EXPECT_EQ(checked.kind, "chart values");
    EXPECT_THAT(checked.findings, IsEmpty());
    ASSERT_TRUE(checked.limits);
    EXPECT_EQ(checked.limits->max_concurrent_requests, 16);
    EXPECT_EQ(check_document("ome:\n  multicluster: {}\n", core::chart_limits()).kind,
              "chart values");
}

TEST(ChartValues, BreakTheRulesOfTheConfiguration) {
    EXPECT_THAT(found(changed("timeout: 3s", "timeout: 10s")),
                ElementsAre("14: routing.probe.timeout (10s) must be shorter than "
                            "routing.probe.period (10s)"));
    EXPECT_THAT(
        found(changed("        probe:", "        observer: {minPeriod: 1m}\n        probe:")),
        ElementsAre("14: routing.probe.period (10s) must be at least "
                    "routing.observer.minPeriod (1m0s)"));
    EXPECT_THAT(
        found(changed("        probe:", "        observer: {maxSamples: 0}\n        probe:")),
        ElementsAre("8: routing.observer.maxSamples must be positive when routing is "
                    "enabled"));
    EXPECT_THAT(
        found(changed("        probe:", "        observer: {maxSamples: null}\n        probe:")),
        ElementsAre("8: routing.observer.maxSamples must be positive when routing is enabled"));
}

TEST(ChartValues, NeedTheTextsOfABlock) {
    EXPECT_THAT(found(changed("          method: GET\n", "")).front(),
                "8: routing.probe.method is left out: the chart then renders a configuration that "
                "does not load (load multi-cluster configuration: unable to parse multicluster "
                "config json)");
    EXPECT_THAT(found("ome:\n  multicluster:\n    config:\n      routing:\n        probe: []\n"
                      "        capacity: []\n        publisher: []\n"),
                IsEmpty())
        << "an empty list is how the chart says none";
}

TEST(ChartValues, NeedBothSwitches) {
    EXPECT_THAT(found(changed("role: control-plane", "role: workload")),
                ElementsAre("7: ome.multicluster.config.routing.enabled=true requires "
                            "ome.multicluster.enabled=true and "
                            "ome.multicluster.role=control-plane"));
}

TEST(ChartValues, WarnOfTypos) {
    EXPECT_THAT(found(changed("failureThreshold: 3", "failureThresold: 3")),
                ElementsAre(testing::HasSubstr("routing.probe.failureThreshold must be positive"),
                            "15: warning: routing.probe.failureThresold is not known and is "
                            "ignored; did you mean failureThreshold?"));
}

// The chart writes what was meant beside the slip, so it is not absent.
TEST(ChartValues, NameWhatWasMeantWhereTheChartHasADefault) {
    EXPECT_THAT(found("ome:\n"
                      "  multicluster:\n"
                      "    config:\n"
                      "      endpoit: {}\n"
                      "      routing:\n"
                      "        observer:\n"
                      "          maxConcurentRequests: 3\n"
                      "        more: 1\n"),
                UnorderedElementsAre(
                    "4: warning: endpoit is not known and is ignored; did you mean endpoint?",
                    "7: warning: routing.observer.maxConcurentRequests is not known and is "
                    "ignored; did you mean maxConcurrentRequests?",
                    "8: warning: routing.more is not known and is ignored"));
    EXPECT_THAT(found("ome:\n  multicluster:\n    config:\n      routng: {enabled: true}\n"),
                UnorderedElementsAre(
                    "4: warning: routng is not known and is ignored; did you mean routing?",
                    testing::HasSubstr("routing is OFF, no map is kept: routing.enabled is not "
                                       "set; routng is not known")));
}

TEST(ChartValues, WarnOfSwitchesThatTheChartDoesNotKnow) {
    EXPECT_THAT(found("ome:\n"
                      "  multicluster:\n"
                      "    enabld: true\n"
                      "    roel: control-plane\n"
                      "    execCredentials: {enable: true}\n"
                      "    placementControlPlaneID: x\n"
                      "    confg: {}\n"),
                ElementsAre("3: warning: ome.multicluster.enabld is not known and is ignored; did "
                            "you mean enabled?",
                            "4: warning: ome.multicluster.roel is not known and is ignored; did "
                            "you mean role?",
                            "5: warning: ome.multicluster.execCredentials.enable is not known and "
                            "is ignored; did you mean enabled?",
                            "7: warning: ome.multicluster.confg is not known and is ignored; did "
                            "you mean config?"));
}

}  // namespace
}  // namespace ome::wire
