#include "cli.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace ome::controller {
namespace {

struct Outcome {
    int exit_code = 0;
    std::string out;
    std::string err;
};

Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "ome-trafficmap");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(argument.c_str());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.exit_code = run_cli(static_cast<int>(argv.size()), argv.data());
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    return outcome;
}

class Cli : public testing::Test {
protected:
    std::string file(const std::string& name, const std::string& content) {
        const std::string path = testing::TempDir() + "trafficmap_cli_" + name;
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

TEST_F(Cli, NamesAnAddressThatIsNoneOnce) {
    const Outcome outcome = run({"diff", "--url", "7470"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err,
              "ome-trafficmap diff: --url \"7470\" must be http://HOST:PORT, https://HOST:PORT or "
              "unix:/path\n");
}

TEST_F(Cli, AnEmptyValueIsOne) {
    const Outcome outcome = run({"diff", "--url=", "--all"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("--url \"\" must be http://HOST:PORT"), std::string::npos)
        << outcome.err;
}

TEST_F(Cli, NamesWhatWasNotUnderstoodAndWhatThereIs) {
    const Outcome mistyped = run({"rendre"});
    EXPECT_EQ(mistyped.exit_code, 2);
    EXPECT_NE(mistyped.err.find("ome-trafficmap: there is no command \"rendre\"; did you mean "
                                "render?\ncommands: run, render, check"),
              std::string::npos)
        << mistyped.err;
    const Outcome option = run({"run", "--sotre", "dir:x"});
    EXPECT_EQ(option.exit_code, 2);
    EXPECT_NE(option.err.find("ome-trafficmap run: there is no option --sotre; did you mean "
                              "--store?"),
              std::string::npos)
        << option.err;
}

TEST_F(Cli, EveryCommandThatHasAnOutputTakesItShort) {
    for (const char* command : {"run", "render", "check"}) {
        EXPECT_NE(run({command, "--help"}).out.find("-o,--output"), std::string::npos) << command;
    }
}

TEST_F(Cli, HelpsWithExamples) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--help"}, {"render", "--help"}, {"check", "--help"}}) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exit_code, 0);
        EXPECT_NE(outcome.out.find("Examples:"), std::string::npos) << outcome.out;
    }
    EXPECT_EQ(run({"--version"}).exit_code, 0);
}

TEST_F(Cli, KnowsWrongUsage) {
    EXPECT_EQ(run({}).exit_code, 2);
    EXPECT_EQ(run({"paint"}).exit_code, 2);
    EXPECT_EQ(run({"render"}).exit_code, 2);
    EXPECT_EQ(run({"render", "--isvc", "x", "-o", "xml"}).exit_code, 2);
    EXPECT_EQ(run({"check"}).exit_code, 2);
    EXPECT_EQ(run({"check", "-", "x", "-"}).exit_code, 2);
}

TEST_F(Cli, DoesNotRunWithoutAWayToTheApiServer) {
    const std::string config = file("run.json",
                                    R"({"routing":{"enabled":true,"observer":{
        "maxConcurrentReconciles":8,"maxConcurrentRequests":16,"maxResponseBytes":65536,
        "minPeriod":"1s","maxSamples":100},"publisher":{"resyncInterval":"1m"}}})");
    const Outcome outcome =
        run({"run", "--store", "kube", "--kubeconfig", "/nonexistent/file", "--config", config});
    EXPECT_EQ(outcome.exit_code, 78);
    EXPECT_NE(outcome.err.find("ome-trafficmap: kubeconfig: /nonexistent/file"), std::string::npos)
        << outcome.err;
}

TEST_F(Cli, Renders) {
    const std::string isvc = file("isvc",
                                  "kind: InferenceService\nmetadata: {name: x, uid: u}\n"
                                  "spec: {placement: {policy: ClusterAffinity, mode: All}}\n");
    const Outcome outcome = run({"render", "--isvc", isvc, "-o", "table"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("NotPlaced: InferenceService is not Placed; no homes to route to "
                               "yet"),
              std::string::npos)
        << outcome.out;
    EXPECT_EQ(run({"render", "--isvc", "/nonexistent/file"}).exit_code, 1);
    EXPECT_EQ(run({"render", "--isvc", isvc, "--now", "noon"}).exit_code, 2);
}

TEST_F(Cli, ChecksFilesOfEveryKind) {
    const std::string isvc = file("isvc.yaml",
                                  "kind: InferenceService\nmetadata: {name: x}\n"
                                  "spec:\n  placement: {policy: ClusterAffinity, mode: Some}\n");
    const std::string values = file("values.yaml", "ome: {multicluster: {config: {}}}\n");
    const std::string config = file("config.yaml", "routing: {}\n");
    const Outcome outcome = run({"check", isvc, values, config});
    EXPECT_EQ(outcome.exit_code, 78);
    EXPECT_EQ(
        outcome.out,
        isvc +
            ":4: spec.placement.mode must explicitly select Single, All, "
            "Split, or SplitByCapacity\n" +
            values + ": ok (chart values)\n" + config +
            ":1: warning: routing.enabled: routing is OFF, no map is kept: routing.enabled is not "
            "set\n");
    EXPECT_EQ(run({"check", values}).exit_code, 0);
    EXPECT_EQ(run({"check", values, "/nonexistent/file"}).exit_code, 1);
}

}  // namespace
}  // namespace ome::controller
