// The request budget as the homes see it (design.md promise 9).
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"
#include "services_file.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t fleet_size = 200;

std::string services_for(const Homes& homes, std::size_t count) {
    homesim::ServicesFile settings;
    settings.address = "127.0.0.1";
    settings.ports = homes.ports();
    settings.poll_path = "/capacity";
    settings.homes_per_service = 4;
    settings.period = 1s;
    settings.timeout = 200ms;
    std::vector<std::string> names;
    names.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back("home-" + std::to_string(i));
    }
    return homesim::services_file(settings, names);
}

class Budget : public testing::TestWithParam<int> {};

TEST_P(Budget, IsNeverExceededAndReachesEveryHomeWhileHalfOfThemStall) {
    const Homes homes({"--homes", std::to_string(fleet_size)});
    homes.set("*?percent=50", R"({"poll":{"stall":"before-head"},"probe":{"stall":"in-head"}})");
    ObserverProcess observer(
        services_for(homes, fleet_size),
        {"--max-concurrent-requests", "16", "--reactors", std::to_string(GetParam())});
    EXPECT_TRUE(eventually(
        [&] {
            return homes.count("/poll/homesWithoutRequests") == 0 &&
                   homes.count("/probe/homesWithoutRequests") == 0;
        },
        60s));
    EXPECT_EQ(homes.count("/inFlightHighWater"), 16);
    EXPECT_EQ(homes.count("/poll/highWaterOfOneHome"), 1);
    EXPECT_EQ(homes.count("/probe/highWaterOfOneHome"), 1);
}

INSTANTIATE_TEST_SUITE_P(Reactors, Budget, testing::Values(1, 2, 4));

}  // namespace
}  // namespace ome::test
