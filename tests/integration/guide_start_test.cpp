// "The controller rollout doesn't finish" of the guides "Configure routing health probes" and "Tune
// routing capacity polling": settings with which the program does not start.
#include "integration/scratch.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr int bad_configuration = 78;

/// What the guides' values come to.
json::value configuration() {
    return json::parse(R"({"routing": {"enabled": true,
        "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16,
                     "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100},
        "probe": {"path": "/v1/models", "method": "GET", "acceptStatuses": [200],
                  "gateStatuses": [404, 500, 502, 503, 504], "period": "10s", "timeout": "3s",
                  "failureThreshold": 3, "successThreshold": 2,
                  "allFailedPolicy": "PreserveTraffic"},
        "capacity": {"path": "/capacity", "method": "GET", "format": "Report", "samples": 10,
                     "quorum": 2, "period": "10s", "timeout": "3s", "maxAge": "30s"},
        "publisher": {"resyncInterval": "1m"}}})");
}

/// What a start with this configuration prints before it ends.
class Start : public testing::Test {
protected:
    std::string refusal(const std::string& text) {
        const std::string folder = scratch_.path("store");
        std::filesystem::create_directories(folder);
        Process process({std::getenv("OME_TRAFFICMAP"),
                         "run",
                         "--store",
                         "dir:" + folder,
                         "--config",
                         scratch_.write("config.json", text),
                         "--listen",
                         "127.0.0.1:0"});
        EXPECT_EQ(process.wait_for_exit(std::chrono::seconds(60)), bad_configuration)
            << process.output();
        return process.output();
    }

private:
    Scratch scratch_;
};

struct Setting {
    const char* block;    ///< of routing
    const char* members;  ///< as a JSON object
    const char* problem;
};

void PrintTo(const Setting& setting, std::ostream* out) {
    *out << setting.block << " " << setting.members;
}

class UnusableSettings : public Start, public testing::WithParamInterface<Setting> {};

TEST_P(UnusableSettings, EndTheStart) {
    json::value changed = configuration();
    json::object& block = changed.at("routing").at(GetParam().block).as_object();
    const json::value members = json::parse(GetParam().members);
    for (const auto& [name, value] : members.as_object()) {
        block[name] = value;
    }
    const std::string problem =
        fmt::format("invalid multi-cluster configuration: {}\n", GetParam().problem);
    EXPECT_THAT(refusal(json::serialize(changed)), HasSubstr(problem));
}

INSTANTIATE_TEST_SUITE_P(
    Probe,
    UnusableSettings,
    testing::Values(
        Setting{"probe",
                R"({"timeout":"10s"})",
                "routing.probe.timeout (10s) must be shorter than routing.probe.period (10s)"},
        Setting{"probe",
                R"({"period":"500ms","timeout":"100ms"})",
                "routing.probe.period (500ms) must be at least routing.observer.minPeriod (1s)"}));

INSTANTIATE_TEST_SUITE_P(
    Capacity,
    UnusableSettings,
    testing::Values(
        Setting{"capacity",
                R"({"period":"10"})",
                "routing.capacity.period: \"10\" is not a duration (use forms like \"30s\", "
                "\"5m\")"},
        Setting{"capacity",
                R"({"timeout":"10s"})",
                "routing.capacity.timeout (10s) must be shorter than routing.capacity.period "
                "(10s)"},
        Setting{"capacity",
                R"({"period":"500ms","timeout":"100ms"})",
                "routing.capacity.period (500ms) must be at least routing.observer.minPeriod "
                "(1s)"},
        Setting{"observer",
                R"({"maxSamples":0})",
                "routing.observer.maxSamples must be positive when routing is enabled"},
        Setting{"observer",
                R"({"maxSamples":null})",
                "routing.observer.maxSamples must be positive when routing is enabled"}));

// The chart puts nothing where a string is left out, and the text is no JSON any more.
TEST_F(Start, EndsWhenAStringOfTheProbeIsLeftOut) {
    std::string text = json::serialize(configuration());
    const std::string method = R"("method":"GET")";
    text.replace(text.find(method), method.size(), R"("method":)");
    const char* problem =
        "load multi-cluster configuration: unable to parse multicluster config json: ";
    EXPECT_THAT(refusal(text), HasSubstr(problem));
    json::object config_map{{"apiVersion", "v1"},
                            {"kind", "ConfigMap"},
                            {"metadata", {{"name", "inferenceservice-config"}}},
                            {"data", {{"multicluster", text}}}};
    EXPECT_THAT(refusal(json::serialize(config_map)), HasSubstr(problem));
}

}  // namespace
}  // namespace ome::test
