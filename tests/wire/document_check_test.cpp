#include <ome/core/policy_rules.hpp>
#include <ome/wire/document_check.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* valid_config = R"(routing:
  enabled: true
  observer:
    maxConcurrentReconciles: 8
    maxConcurrentRequests: 16
    maxResponseBytes: 65536
    minPeriod: 5s
    maxSamples: 100
  publisher: {resyncInterval: 1m}
)";

constexpr const char* capacity_block = R"(
    path: /capacity
    method: GET
    format: Report
    samples: 4
    quorum: 3
    period: 10s
    timeout: 3s
    maxAge: 40s
)";

// `error 3 routing.probe.period`
std::vector<std::string> found(std::string_view text) {
    std::vector<std::string> lines;
    for (const Finding& finding : check_document(text, core::chart_limits()).findings) {
        lines.push_back(fmt::format("{} {} {}",
                                    finding.severity == Severity::Error ? "error" : "warning",
                                    finding.line,
                                    finding.problem.field));
    }
    return lines;
}

TEST(DocumentCheck, SaysWhatAFileOfPoliciesAloneIsFor) {
    const auto policies_alone = [](std::string_view text) {
        const auto findings = check_document(text, core::chart_limits()).findings;
        return std::count_if(findings.begin(), findings.end(), [](const Finding& one) {
            return one.severity == Severity::Warning &&
                   one.problem.message.find("`replay --policy`") != std::string::npos;
        });
    };
    EXPECT_EQ(policies_alone(R"({"capacity":null,"probe":null})"), 1);
    EXPECT_EQ(policies_alone(R"({"probe":null,"homes":[]})"), 0);
    EXPECT_EQ(policies_alone(R"({"probe":null,"ownerUID":"a"})"), 0);
}

TEST(DocumentCheck, SaysWhatBecomesOfAnEndpointsQueryAndFragment) {
    const auto findings = check_document(R"({"homes":[
  {"cluster":"a","endpoint":"http://a.example"},
  {"cluster":"b","endpoint":"http://b.example/x?model=1"},
  {"cluster":"c","endpoint":"http://c.example/x#top"}]})",
                                         core::chart_limits())
                              .findings;
    ASSERT_EQ(findings.size(), 3U) << "the first: nothing is observed";
    EXPECT_EQ(findings[1].severity, Severity::Warning);
    EXPECT_EQ(findings[1].problem.field, "homes[1].endpoint");
    EXPECT_TRUE(findings[1].problem.message.starts_with("homes[1].endpoint: its query"));
    EXPECT_EQ(findings[2].line, 4U);
    EXPECT_TRUE(findings[2].problem.message.starts_with("homes[2].endpoint: its fragment"));
}

TEST(DocumentCheck, SaysWhatBecomesOfACandidatesQuery) {
    const auto warned = found(R"({"kind":"InferenceService","metadata":{"name":"a","namespace":"b"},
"spec":{"routing":{}},"status":{"placement":{"candidates":[
  {"cluster":"b","endpoint":"https://b.example/?x"},
  {"cluster":"c","endpoint":"https://c.example"}]}}})");
    EXPECT_THAT(warned, ElementsAre("warning 3 status.placement.candidates[0].endpoint"));
}

TEST(DocumentCheck, TellsWhatADocumentIs) {
    const auto kind = [](std::string_view text) {
        return check_document(text, core::chart_limits()).kind;
    };
    EXPECT_EQ(kind("routing: {}"), "multicluster configuration");
    EXPECT_EQ(kind("kind: ConfigMap\ndata: {}"), "ConfigMap");
    EXPECT_EQ(kind("homes: []"), "declaration");
    EXPECT_EQ(kind("[]"), "services");
    EXPECT_EQ(kind(R"({"services":[]})"), "services");
    EXPECT_EQ(kind("spec: {routing: {}}"), "InferenceService");
    EXPECT_EQ(kind("kind: InferenceService"), "InferenceService");
    EXPECT_THAT(found("colour: blue"), ElementsAre("error 1 "));
    EXPECT_THAT(found(""), ElementsAre("error 0 "));
}

TEST(DocumentCheck, TellsEverythingThatIsWrongAtOnce) {
    EXPECT_THAT(found(R"(
routing:
  enabled: true
  observer: {maxConcurrentReconciles: 8, maxConcurrentRequests: 0, maxResponseBytes: -1, minPeriod: 1s, maxSamples: 100}
  publisher: {resyncInterval: 1m}
  probe: {path: x, method: PUT, acceptStatuses: [200], gateStatuses: [503, 401], period: 10s, timeout: 10s,
          failureThreshold: 0, successThreshold: 2, allFailedPolicy: No}
)"),
                ElementsAre("error 4 routing.observer.maxConcurrentRequests",
                            "error 4 routing.observer.maxResponseBytes",
                            "error 6 routing.probe.path",
                            "error 6 routing.probe.method",
                            "error 6 routing.probe.gateStatuses",
                            "error 6 routing.probe.timeout",
                            "error 7 routing.probe.failureThreshold",
                            "error 7 routing.probe.allFailedPolicy"));
    EXPECT_THAT(
        found(R"({"ownerUID":"u","homes":[],"capacity":{"path":"/c","method":"GET",
        "format":"Reports","samples":2,"quorum":3,"period":"1s","timeout":"0s","maxAge":"1s"}})"),
        ElementsAre(
            "error 2 capacity.timeout", "error 2 capacity.quorum", "error 2 capacity.format"))
        << "the timeout cannot be compared, and the quorum not be spanned, while they are wrong";
}

TEST(DocumentCheck, SaysThatRoutingIsOffToWhoeverRoutes) {
    const auto said = [](const char* text, CheckFor whom) {
        std::string all;
        for (const Finding& finding : check_document(text, core::chart_limits(), whom).findings) {
            EXPECT_EQ(finding.severity, Severity::Warning) << finding.problem.message;
            all += finding.problem.message.find("OFF") != std::string::npos
                       ? finding.problem.message + "\n"
                       : "";
        }
        return all;
    };
    const std::string slip =
        "routing is OFF, no map is kept: routing.enabled is not set; routing.enabeld is not known "
        "and is ignored; did you mean enabled?\n";
    EXPECT_EQ(said("routing: {enabeld: true}", CheckFor::Controller), slip);
    EXPECT_EQ(said("routing: {enabeld: true}", CheckFor::Observer), slip);
    EXPECT_EQ(said("routing: {}", CheckFor::Controller),
              "routing is OFF, no map is kept: routing.enabled is not set\n");
    EXPECT_EQ(said("routing: {}", CheckFor::Observer), "") << "it may hold limits alone";
    EXPECT_EQ(said("routing: {enabled: false}", CheckFor::Controller), "") << "it is meant";
    const char* values = "ome: {multicluster: {config: {routing: {enabeld: true}}}}";
    EXPECT_EQ(said(values, CheckFor::Controller), slip);
    EXPECT_EQ(said("ome: {multicluster: {config: {routing: {}}}}", CheckFor::Controller), "")
        << "what the chart says is meant";
}

TEST(DocumentCheck, GivesTheLimitsOfAConfiguration) {
    const CheckedDocument checked = check_document(valid_config, core::chart_limits());
    EXPECT_THAT(checked.findings, IsEmpty());
    ASSERT_TRUE(checked.limits.has_value());
    EXPECT_EQ(checked.limits->min_period, std::chrono::seconds(5));
}

TEST(DocumentCheck, ReportsAConfigurationWithLines) {
    const std::vector<std::string> lines =
        found(std::string(valid_config) + "  probe:\n    path: /x\n    typo: 1\n");
    ASSERT_EQ(lines.size(), 9U) << "eight fields are missing, and one is unknown";
    EXPECT_EQ(lines.front(), "error 10 routing.probe.method");
    EXPECT_EQ(lines.back(), "warning 12 routing.probe.typo");
    EXPECT_THAT(found("routing:\n  probe: {period: 10}\n  capacity:\n    samples: x\n"),
                ElementsAre("error 2 routing.probe.period", "error 4 routing.capacity.samples"));
}

TEST(DocumentCheck, TellsTheRulesOfWhatCouldBeReadToo) {
    EXPECT_THAT(found(R"({"routing":{"enabled":true,
  "observer":{"maxConcurrentReconciles":1,"maxConcurrentRequests":"16","maxResponseBytes":0,
  "minPeriod":"0s","maxSamples":1},
  "publisher":{"resyncInterval":"1m"}}})"),
                ElementsAre("error 2 routing.observer.maxConcurrentRequests",
                            "error 2 routing.observer.maxResponseBytes",
                            "error 3 routing.observer.minPeriod"));
    EXPECT_THAT(found(R"({"homes":[],"probe":{"path":"/","method":"GET","acceptStatuses":["200"],
        "gateStatuses":[503],"period":"10s","timeout":"3s","failureThreshold":1,
        "successThreshold":1,"allFailedPolicy":"Drain"}})"),
                ElementsAre("error 1 probe.acceptStatuses[0]"))
        << "which is not left out for all that";
}

TEST(DocumentCheck, FindsLinesUnderneathAWrappingMember) {
    EXPECT_THAT(found("multicluster:\n  routing:\n    probe:\n      period: 1 m\n"),
                ElementsAre("error 4 routing.probe.period"));
}

TEST(DocumentCheck, WarnsOfHomesOnThisMachine) {
    EXPECT_THAT(found(R"([{"name":"a","homes":[
  {"cluster":"a","endpoint":"http://LocalHost:1"},
  {"cluster":"b","endpoint":"http://127.0.0.2:1"},
  {"cluster":"c","endpoint":"https://[::1]/x"},
  {"cluster":"d","endpoint":"http://localhost.example:1"},
  {"cluster":"e","endpoint":"http://10.0.0.1:1"}]}])"),
                ElementsAre("warning 1 [0]",
                            "warning 2 [0].homes[0].endpoint",
                            "warning 3 [0].homes[1].endpoint",
                            "warning 4 [0].homes[2].endpoint"));
}

TEST(DocumentCheck, WarnsOfServicesOfWhichNothingIsObserved) {
    const std::string homes = R"("homes":[{"cluster":"a","endpoint":"http://a.example"}]})";
    EXPECT_THAT(found("{" + homes), ElementsAre("warning 1 "));
    EXPECT_THAT(found(R"([{"name":"a",)" + homes + "]"), ElementsAre("warning 1 [0]"));
    EXPECT_THAT(found(R"({"capacity":{"path":"/c","method":"GET","format":"Report","samples":1,
        "quorum":1,"period":"10s","timeout":"1s","maxAge":"30s"},)" +
                      homes),
                IsEmpty());
}

TEST(DocumentCheck, WarnsOfEndpointsThatDoLessThanTheySay) {
    const auto findings = check_document(R"({"probe":5,"homes":[
  {"cluster":"a","endpoint":"http://a.example:65536"},
  {"cluster":"b","endpoint":"http://user:hidden@b.example"}]})",
                                         core::chart_limits())
                              .findings;
    ASSERT_EQ(findings.size(), 3U);
    EXPECT_EQ(findings[1].problem.field, "homes[0].endpoint");
    EXPECT_EQ(findings[2].problem.field, "homes[1].endpoint");
    EXPECT_EQ(findings[2].problem.message.find("hidden"), std::string::npos);
}

TEST(DocumentCheck, TriesTheGatewayAndTheTemplateOfHostnames) {
    const std::string config = valid_config;
    const std::string gateway = "endpoint:\n  backendPort: 80\n  globalGateway: ";
    EXPECT_THAT(found(config + gateway + "a/b\n"), IsEmpty());
    EXPECT_THAT(found(config + gateway + "a/b/c\n"),
                ElementsAre("error 12 endpoint.globalGateway"));
    const std::string name = "endpoint:\n  globalHostTemplate: ";
    EXPECT_THAT(found(config + name + "'{{ .Name }}.example.com'\n"), IsEmpty());
    EXPECT_THAT(found(config + name + "'{{ .Nme }}.example.com'\n"),
                ElementsAre("error 11 endpoint.globalHostTemplate"));
    EXPECT_THAT(found(config + name + "'{{ .Name '\n"),
                ElementsAre("error 11 endpoint.globalHostTemplate"));
}

TEST(DocumentCheck, SuggestsTheKindThatWasMeant) {
    const auto findings = check_document("kind: InferenceServce\n", core::chart_limits()).findings;
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_TRUE(findings[0].problem.message.ends_with("; did you mean InferenceService?"));
}

TEST(DocumentCheck, PassesOverOtherManifestsWithAWarning) {
    EXPECT_THAT(found("kind: Namespace\n---\nrouting: {}\n"), ElementsAre("warning 1 kind"));
}

TEST(DocumentCheck, CountsLinesInsideAConfigMap) {
    EXPECT_THAT(found("kind: ConfigMap\ndata:\n  multicluster: |\n    {\"routing\":\n"
                      "      {\"probe\": {\"period\": \"1 m\"}}}\n"),
                ElementsAre("error 5 routing.probe.period"));
    EXPECT_THAT(found(R"({"kind":"ConfigMap",
                          "data":{"multicluster":"{\n\n\"routing\":{\"enabled\":5}}"}})"),
                ElementsAre("error 2 routing.enabled"));
}

TEST(DocumentCheck, ReportsAForeignPublisherOnlyWhenTheRestIsValid) {
    const std::string config = valid_config;
    EXPECT_THAT(found(config + "  publisher2: {}\n"), ElementsAre("warning 10 routing.publisher2"));
    EXPECT_THAT(found("routing: {enabled: false, publisher: {name: x}}"),
                ElementsAre("error 1 routing.publisher.name"))
        << "with it the controller does not start, off or on";
    EXPECT_THAT(found("routing: {publisher: {name: x}, probe: {period: soon}}"),
                ElementsAre("error 1 routing.probe.period"));
}

TEST(DocumentCheck, WarnsOfSettingsThatDoNotDoWhatTheyLookLike) {
    EXPECT_THAT(
        found(
            std::string(valid_config) +
            "  capacity:\n    path: /a/../b\n    method: HEAD\n    format: Report\n"
            "    samples: 10\n    quorum: 3\n    period: 10s\n    timeout: 3s\n    maxAge: 30s\n"),
        ElementsAre("warning 11 routing.capacity.path",
                    "warning 12 routing.capacity.method",
                    "warning 14 routing.capacity.samples",
                    "warning 18 routing.capacity.maxAge"));
}

TEST(DocumentCheck, ReportsDeclarationsUnderTheirPlaceInTheFile) {
    EXPECT_THAT(found("- homes: []\n- homes:\n  - {cluster: a}\n  name: b\n"),
                ElementsAre("warning 1 [0].name", "error 3 [1].homes[0].endpoint"));
}

TEST(DocumentCheck, AppliesAdmissionRunTimeAndBoundsToAService) {
    const std::string head =
        "kind: InferenceService\nspec:\n  engine: {}\n  routing:\n   capacity:";
    EXPECT_THAT(found(head + capacity_block), IsEmpty());
    EXPECT_THAT(
        found(head + "\n    path: /x\n"),
        ElementsAre("error 5 spec.routing.capacity", "error 5 spec.routing.capacity.method"));
    std::string fast = head + capacity_block;
    fast.replace(fast.find("10s"), 3, "4ms");
    fast.replace(fast.find("3s"), 2, "1ms");
    EXPECT_THAT(found(fast), ElementsAre("error 11 spec.routing.capacity.period"));
    EXPECT_THAT(found(head + capacity_block + "   prob: 1\n"),
                ElementsAre("warning 14 spec.routing.prob"));
}

TEST(DocumentCheck, SaysWhereATextCannotBeRead) {
    EXPECT_THAT(found("a: 1\nb: [\n"), ElementsAre("error 3 "));
}

}  // namespace
}  // namespace ome::wire
