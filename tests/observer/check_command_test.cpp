#include "commands.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

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
