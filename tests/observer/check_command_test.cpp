#include "check_command.hpp"

#include "commands.hpp"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace ome::observer {
namespace {

class CheckCommand : public ::testing::Test {
protected:
    // A file of this test, gone with it.
    std::string file(const std::string& name, const std::string& content) {
        const std::string path = ::testing::TempDir() + "check_command_" + name;
        std::ofstream(path) << content;
        paths_.push_back(path);
        return path;
    }

    void TearDown() override {
        for (const std::string& path : paths_) {
            std::remove(path.c_str());
        }
    }

private:
    std::vector<std::string> paths_;
};

CheckRun check(const std::vector<std::string>& names, const std::string& input = "") {
    std::istringstream in(input);
    return check_files(names, in);
}

int run(std::vector<std::string> arguments) {
    CLI::App app;
    Run chosen;
    add_check_command(app, chosen);
    std::reverse(arguments.begin(), arguments.end());
    try {
        app.parse(arguments);
    } catch (const CLI::ParseError&) {
        return 2;
    }
    return chosen();
}

TEST_F(CheckCommand, ReadsStandardInput) {
    const CheckRun result = check({"-"}, "routing:\n  enabled: 5\n");
    EXPECT_EQ(exit_code(result), 78);
    EXPECT_EQ(as_text(result.files), "<stdin>:2: routing.enabled: 5 must be true or false\n");
}

TEST_F(CheckCommand, PrintsFieldAndMessage) {
    const CheckRun result = check({"-"}, R"({"homes":[],"probe":{}})");
    EXPECT_EQ(as_text(result.files), "<stdin>:1: probe.path: probe.path is required\n");
}

TEST_F(CheckCommand, TakesWarningsAloneForValid) {
    const CheckRun result = check({"-"}, "routing: {extra: 1}");
    EXPECT_EQ(exit_code(result), 0);
    EXPECT_EQ(as_text(result.files),
              "<stdin>:1: warning: routing.extra: routing.extra is not known and is ignored\n");
}

TEST_F(CheckCommand, SaysOkOfAFileWithoutFindings) {
    EXPECT_EQ(as_text(check({"-"}, "routing: {}").files),
              "<stdin>: ok (multicluster configuration)\n");
}

TEST_F(CheckCommand, HoldsServicesToTheConfigurationAmongTheFiles) {
    const std::string services = file("services.yaml",
                                      "homes: []\nprobe: {path: /x, method: GET, acceptStatuses: "
                                      "[200], gateStatuses: [500], period: 2s, timeout: 1s,\n"
                                      "  failureThreshold: 1, successThreshold: 1, "
                                      "allFailedPolicy: Drain}\n");
    const std::string config =
        file("config.json",
             R"({"routing":{"enabled":true,"observer":{"maxConcurrentReconciles":1,
            "maxConcurrentRequests":1,"maxResponseBytes":1,"minPeriod":"3s","maxSamples":1},
            "publisher":{"resyncInterval":"1m"}}})");
    EXPECT_EQ(exit_code(check({services})), 0);
    const CheckRun both = check({services, config});
    EXPECT_EQ(exit_code(both), 78);
    EXPECT_EQ(as_text(both.files),
              services +
                  ":2: probe.period: probe.period (2s) must be at least observer.minPeriod "
                  "(3s)\n" +
                  config + ": ok (multicluster configuration)\n");
}

TEST_F(CheckCommand, NamesAFileThatCannotBeReadAndGoesOn) {
    const CheckRun result = check({"/nonexistent/file", "-"}, "routing: {}");
    ASSERT_EQ(result.unreadable.size(), 1U);
    EXPECT_EQ(result.unreadable[0], "/nonexistent/file cannot be opened");
    EXPECT_EQ(exit_code(result), 1);
}

TEST_F(CheckCommand, PrintsJson) {
    const CheckRun result = check({"-"}, "routing:\n  enabled: 5\n  extra: 1\n");
    const auto report = boost::json::parse(as_json(result.files)).as_object();
    EXPECT_EQ(report.at("errors"), 1);
    EXPECT_EQ(report.at("warnings"), 1);
    const auto& first = report.at("files").at(0);
    EXPECT_EQ(first.at("kind"), "multicluster configuration");
    EXPECT_EQ(first.at("findings").at(0).at("line"), 2);
    EXPECT_EQ(first.at("findings").at(0).at("field"), "routing.enabled");
    EXPECT_EQ(first.at("findings").at(1).at("severity"), "warning");
}

TEST_F(CheckCommand, KeepsAFindingOnOneLine) {
    const CheckRun result = check({"-"}, "\"rou\\tting\\n\": 1\nrouting: {}\n");
    const std::string text = as_text(result.files);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST_F(CheckCommand, GivesItsExitCodeThroughTheCommandLine) {
    const std::string good = file("good.yaml", "routing: {}\n");
    const std::string bad = file("bad.yaml", "routing: 1\n");
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(run({"check", good}), 0);
    EXPECT_EQ(run({"check", good, bad, "--output", "json"}), 78);
    EXPECT_EQ(run({"check"}), 2);
    EXPECT_EQ(run({"check", good, "--output", "xml"}), 2);
    EXPECT_NE(::testing::internal::GetCapturedStdout().find("\"errors\":1"), std::string::npos);
}

}  // namespace
}  // namespace ome::observer
