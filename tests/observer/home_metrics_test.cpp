#include "home_metrics.hpp"

#include <gtest/gtest.h>

namespace ome::observer {
namespace {

core::ServiceReading service() {
    core::HomeReading with;
    with.cluster = "worker-a";
    with.capacity.emplace().ceiling = 0;
    with.probe.emplace().gated = true;
    core::HomeReading without;
    without.cluster = "worker-b";
    without.capacity.emplace().fallback_reason = "no capacity report yet";
    core::ServiceReading service;
    service.key = {"prod", "chat"};
    service.homes = {with, without};
    return service;
}

TEST(HomeMetrics, NameTheHomeAndLeaveOutWhatIsNotKnown) {
    telemetry::MetricsPage page;
    add_home_metrics(page, service());
    const std::string text = telemetry::to_text(page);
    const std::string a = R"({namespace="prod",service="chat",cluster="worker-a"})";
    const std::string b = R"({namespace="prod",service="chat",cluster="worker-b"})";
    EXPECT_NE(text.find("ome_observer_home_gated" + a + " 1"), std::string::npos) << text;
    EXPECT_NE(text.find("ome_observer_home_ceiling" + a + " 0"), std::string::npos) << text;
    EXPECT_NE(text.find("ome_observer_home_fallback" + b + " 1"), std::string::npos) << text;
    EXPECT_EQ(text.find("ome_observer_home_ceiling" + b), std::string::npos) << text;
    EXPECT_EQ(text.find("ome_observer_home_gated" + b), std::string::npos) << text;
}

}  // namespace
}  // namespace ome::observer
