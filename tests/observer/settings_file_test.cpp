#include "settings_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace ome::observer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SettingsFile : public testing::Test {
protected:
    ~SettingsFile() override { std::remove(path.c_str()); }

    std::string problem(std::string_view text) {
        std::ofstream(path, std::ios::trunc) << text;
        const auto read = read_settings_file(path);
        return read ? "none" : read.error().message;
    }

    std::string path = testing::TempDir() + "settings_file_test.yaml";
};

constexpr const char* load =
    "load multi-cluster configuration: unable to parse multicluster config json: unable to "
    "unmarshall multicluster json string due to ";

TEST_F(SettingsFile, TellsAllThatCannotBeReadAndTheRulesThatTheRestBreaks) {
    EXPECT_EQ(
        problem(R"({"routing":{"observer":{"minPeriod":"0s","maxSamples":0,
                          "maxConcurrentRequests":"16","maxResponseByte":1},
                          "capacity":{"samples":"x"}}})"),
        std::string(load) +
            "routing.observer.maxConcurrentRequests: \"16\" must be an integer of 1 or more \n"
            "routing.capacity.samples: \"x\" must be an integer from 1 to 2147483647\n"
            "routing.observer.minPeriod: \"0s\" must be positive\n"
            "routing.observer.maxSamples must be positive when routing is enabled\n"
            "warning: routing.observer.maxResponseByte is not known and is ignored; did you "
            "mean maxResponseBytes?");
}

TEST_F(SettingsFile, TellsAllBrokenRulesBehindTheOneThatEndsTheStart) {
    EXPECT_EQ(problem(R"({"routing":{"observer":{"minPeriod":"1s","maxSamples":0},
                          "capacity":{"path":"c","method":"PUT","format":"Report","samples":1,
                          "quorum":1,"period":"10s","timeout":"1s","maxAge":"10s"}}})"),
              "invalid multi-cluster configuration: "
              "routing.observer.maxSamples must be positive when routing is enabled\n"
              "routing.capacity.path \"c\" must begin with \"/\"\n"
              "routing.capacity.method \"PUT\" must be GET, HEAD, or POST");
}

TEST_F(SettingsFile, LeavesALimitThatAFlagMayReplaceToTheSettings) {
    EXPECT_EQ(problem(R"({"routing":{"observer":{"maxSamples":0}}})"), "none");
    EXPECT_THAT(problem(R"({"routing":{"observer":{"minPeriod":"0s"}}})"),
                StartsWith("invalid multi-cluster configuration: routing.observer.minPeriod"));
}

// A chart may hold limits that are being prepared; the start must not wait for them.
TEST_F(SettingsFile, LimitsAreNotJudgedWhileRoutingIsOff) {
    std::ofstream(path, std::ios::trunc)
        << R"({"routing":{"enabled":false,"observer":{"maxSamples":0,"maxConcurrentRequests":7}}})";
    const auto file = read_settings_file(path);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_FALSE(file->values.limits_required);
    EXPECT_EQ(file->values.texts.count("max-samples"), 0U);
    EXPECT_EQ(file->values.texts.at("max-concurrent-requests"), "7");
    EXPECT_THAT(file->warnings,
                ElementsAre("routing.observer.maxSamples must be positive when routing is enabled; "
                            "it is not, and the default stands in"));
    EXPECT_THAT(problem(R"({"routing":{"enabled":false,"observer":{"minPeriod":"0s"}}})"),
                HasSubstr("routing.observer.minPeriod: \"0s\" must be positive"));
}

TEST_F(SettingsFile, SaysNothingOfTheMembersOfWhatCannotBeRead) {
    EXPECT_EQ(problem(R"({"routing":{"observer":5}})"),
              std::string(load) + "routing.observer: 5 must be an object ");
    const std::string statuses = problem(
        R"({"routing":{"probe":{"path":"/","acceptStatuses":["x"],"gateStatuses":[500]}}})");
    EXPECT_THAT(statuses, HasSubstr("acceptStatuses[0]: \"x\" must be an integer from 100 to 599"));
    EXPECT_THAT(statuses, Not(HasSubstr("acceptStatuses is required")));
    EXPECT_THAT(statuses, HasSubstr("\nrouting.probe.method is required"));
}

}  // namespace
}  // namespace ome::observer
