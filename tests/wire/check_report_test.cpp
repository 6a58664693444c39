#include <ome/wire/check_report.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

namespace ome::wire {
namespace {

CheckRun check(const std::vector<std::string>& names,
               const std::map<std::string, std::string>& files) {
    return check_files(names, [&files](const std::string& name) -> core::Result<std::string> {
        const auto found = files.find(name);
        if (found == files.end()) {
            return core::Problem{name + ": not there"};
        }
        return core::Result<std::string>(boost::system::in_place_value, found->second);
    });
}

CheckRun check_input(const std::string& text) {
    return check({"-"}, {{"-", text}});
}

TEST(CheckReport, ReadsStandardInput) {
    const CheckRun result = check_input("routing:\n  enabled: 5\n");
    EXPECT_EQ(exit_code(result), 78);
    EXPECT_EQ(as_text(result.files), "<stdin>:2: routing.enabled: 5 must be true or false\n");
}

TEST(CheckReport, PrintsFieldAndMessage) {
    const CheckRun result = check_input(R"({"homes":[],"probe":{}})");
    EXPECT_EQ(as_text(result.files), "<stdin>:1: probe.path is required\n");
}

TEST(CheckReport, SaysThePathOfAPartOnce) {
    const CheckRun result =
        check_input("- name: a\n  homes:\n  - {cluster: a, endpoint: x.test}\n");
    const std::string text = as_text(result.files);
    EXPECT_NE(text.find("\n<stdin>:3: warning: [0].homes[0].endpoint: the home is never tried: "
                        "endpoint URL"),
              text.npos)
        << text;
}

TEST(CheckReport, TakesWarningsAloneForValid) {
    const CheckRun result = check_input("routing: {extra: 1}");
    EXPECT_EQ(exit_code(result), 0);
    EXPECT_EQ(as_text(result.files),
              "<stdin>:1: warning: routing.extra is not known and is ignored\n");
}

TEST(CheckReport, SaysOkOfAFileWithoutFindings) {
    EXPECT_EQ(as_text(check_input("routing: {}").files),
              "<stdin>: ok (multicluster configuration)\n");
}

TEST(CheckReport, HoldsServicesToTheConfigurationAmongTheFiles) {
    const std::map<std::string, std::string> files{
        {"services.yaml",
         "homes: []\nprobe: {path: /x, method: GET, acceptStatuses: [200], gateStatuses: [500], "
         "period: 2s, timeout: 1s,\n  failureThreshold: 1, successThreshold: 1, allFailedPolicy: "
         "Drain}\n"},
        {"config.json",
         R"({"routing":{"enabled":true,"observer":{"maxConcurrentReconciles":1,
            "maxConcurrentRequests":1,"maxResponseBytes":1,"minPeriod":"3s","maxSamples":1},
            "publisher":{"resyncInterval":"1m"}}})"}};
    EXPECT_EQ(exit_code(check({"services.yaml"}, files)), 0);
    const CheckRun both = check({"services.yaml", "config.json"}, files);
    EXPECT_EQ(exit_code(both), 78);
    EXPECT_EQ(as_text(both.files),
              "services.yaml:2: probe.period (2s) must be at least "
              "observer.minPeriod (3s)\nconfig.json: ok (multicluster configuration)\n");
}

TEST(CheckReport, NamesAFileThatCannotBeReadAndGoesOn) {
    const CheckRun result = check({"none", "good"}, {{"good", "routing: {}"}});
    ASSERT_EQ(result.unreadable.size(), 1U);
    EXPECT_EQ(result.unreadable.front().why, "none: not there");
    EXPECT_EQ(result.files.size(), 1U);
    EXPECT_EQ(exit_code(result), 1);
    const auto report = boost::json::parse(as_json(result)).as_object();
    EXPECT_EQ(report.at("errors"), 1);
    const boost::json::array expected{
        {{"severity", "error"}, {"field", ""}, {"message", "none: not there"}}};
    EXPECT_EQ(report.at("files").at(1).at("file"), "none");
    EXPECT_EQ(report.at("files").at(1).at("findings"), expected);
}

TEST(CheckReport, PrintsJson) {
    const CheckRun result = check_input("routing:\n  enabled: 5\n  extra: 1\n");
    const auto report = boost::json::parse(as_json(result)).as_object();
    EXPECT_EQ(report.at("errors"), 1);
    EXPECT_EQ(report.at("warnings"), 1);
    const auto& first = report.at("files").at(0);
    EXPECT_EQ(first.at("kind"), "multicluster configuration");
    EXPECT_EQ(first.at("findings").at(0).at("line"), 2);
    EXPECT_EQ(first.at("findings").at(0).at("field"), "routing.enabled");
    EXPECT_EQ(first.at("findings").at(1).at("severity"), "warning");
}

TEST(CheckReport, KeepsAFindingOnOneLine) {
    const CheckRun result = check_input("\"rou\\tting\\n\": 1\nrouting: {}\n");
    const std::string text = as_text(result.files);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST(CheckReport, SaysTheFieldOnceThatIsTheSubjectOfASentence) {
    const std::string text =
        as_text(check_input("routing:\n  enabled: true\n  probe: {path: /x}\n  more: 1\n").files);
    EXPECT_THAT(text, testing::HasSubstr("\n<stdin>:3: routing.probe.method is required when"));
    EXPECT_THAT(text, testing::HasSubstr("\n<stdin>:4: warning: routing.more is not known"));
    EXPECT_THAT(
        as_text(check_input("spec:\n  placement: {policy: ClusterAffinity, mode: Some}\n").files),
        testing::HasSubstr("spec.placement.mode must explicitly select"));
}

TEST(CheckReport, SaysNoFieldTwiceWhateverIsWrong) {
    for (const char* const document :
         {"routing: {enabled: true, probe: {path: x}, capacity: {path: y, quorum: 2, maxAge: 10s}}",
          "routing: {enabled: true, probe: {path: /x, period: 1, timeout: q, acceptStatuses: [1]}}",
          "endpoint: {backendPort: 70000, globalGateway: a/b/c}\nrouting: {more: {}}",
          "spec: {placement: {mode: All}, routing: {probe: {path: x}, capacityFactors: {a: x}}}",
          "homes: [{cluster: a}]\nprobe: {path: /x}\ncapacity: {path: /x, period: 10}"}) {
        for (const CheckedFile& file : check_input(document).files) {
            EXPECT_FALSE(file.document.findings.empty()) << document;
        }
        const std::string text = as_text(check_input(document).files);
        EXPECT_FALSE(std::regex_search(text, std::regex(R"(\b([\w.\[\]]+): \1\b)"))) << text;
    }
}

TEST(CheckReport, ShowsNoCharacterThatATerminalObeys) {
    const std::vector<CheckedFile> files{
        {"f",
         {"kind\u009b", {{Severity::Error, 1, {"a\x1b\u0085b\u202ec\x7f\u2069", "x.y"}}}, {}}}};
    EXPECT_EQ(as_text(files), "f:1: x.y: a  b c  \n");
    EXPECT_THAT(as_json({files, {}}), testing::HasSubstr(R"("a\u001b\u0085b\u202ec\u007f\u2069")"));
    EXPECT_THAT(as_json({files, {}}), testing::HasSubstr(R"("kind\u009b")"));
}

}  // namespace
}  // namespace ome::wire
