#include <ome/core/setting_variables.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

constexpr Setting listen{"listen", "127.0.0.1:7460", "address", "Where."};
constexpr Setting samples{"max-samples", "100", "", "How many."};
constexpr Setting services{"services", "", "file", "What."};

std::vector<Problem> unknown(const std::vector<std::string>& names) {
    return unknown_variables({"ome-observer", {&listen, &samples, &services}}, names);
}

TEST(SettingVariables, ThatSetSomethingOrBelongToOthersAreNoProblem) {
    EXPECT_TRUE(unknown({"OME_OBSERVER_LISTEN",
                         "OME_OBSERVER_MAX_SAMPLES",
                         "OME_TRAFFICMAP_LISEN",
                         "OME_OBSERVER",
                         "OME",
                         "PATH",
                         ""})
                    .empty());
}

TEST(SettingVariables, ThatAreMisspeltComeWithTheNearestOne) {
    const std::vector<Problem> problems = unknown({"OME_OBSERVER_LISEN", "OME_OBSERVER_SERVICE"});
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0].field, "OME_OBSERVER_LISEN");
    EXPECT_EQ(problems[0].message,
              "the environment variable OME_OBSERVER_LISEN sets nothing; did you mean "
              "OME_OBSERVER_LISTEN?");
    EXPECT_TRUE(problems[1].message.ends_with("did you mean OME_OBSERVER_SERVICES?"));
}

TEST(SettingVariables, ThatAreNearNothingAreToldWithoutAGuess) {
    const std::vector<Problem> problems = unknown({"OME_OBSERVER_XYZZY", "OME_OBSERVER_"});
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0].message,
              "the environment variable OME_OBSERVER_XYZZY sets nothing: there is no such setting");
}

// Of a Service `ome-observer` with a port `api`, and one `ome-observer-metrics`.
TEST(SettingVariables, ThatKubernetesSetsForAServiceAreNoSlips) {
    EXPECT_TRUE(unknown({"OME_OBSERVER_SERVICE_HOST",
                         "OME_OBSERVER_SERVICE_PORT",
                         "OME_OBSERVER_SERVICE_PORT_API",
                         "OME_OBSERVER_PORT",
                         "OME_OBSERVER_PORT_7460_TCP",
                         "OME_OBSERVER_PORT_7460_TCP_ADDR",
                         "OME_OBSERVER_PORT_7460_TCP_PORT",
                         "OME_OBSERVER_PORT_7460_TCP_PROTO",
                         "OME_OBSERVER_METRICS_SERVICE_HOST",
                         "OME_OBSERVER_METRICS_PORT_7461_UDP_ADDR"})
                    .empty());
    EXPECT_EQ(unknown({"OME_OBSERVER_LISTEN_PORT", "KUBERNETES_SERVICE_HOST"}).size(), 1U);
    EXPECT_EQ(unknown({"OME_OBSERVER_LISEN", "OME_OBSERVER_SERVICE_HOST"}).size(), 1U);
}

}  // namespace
}  // namespace ome::core
