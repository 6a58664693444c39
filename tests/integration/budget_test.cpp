// Promises 9 and 10: the budget is never exceeded, however many reactors share it, and bad homes
// delay no other by more than a fair share of it.
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

// 2,000 by default; sanitizer runs are slower, and a laptop may want fewer.
std::size_t fleet_size() {
    const char* wanted = std::getenv("OME_TEST_HOMES");
    return wanted == nullptr ? 2000 : static_cast<std::size_t>(std::atoi(wanted));
}

double number(const json::value& document, std::string_view pointer) {
    boost::system::error_code ec;
    const json::value* found = document.find_pointer(pointer, ec);
    return found == nullptr ? -1.0 : found->to_number<double>();
}

class Budget : public testing::TestWithParam<int> {
protected:
    static std::vector<std::string> flags(int slots) {
        return {"--reactors",
                std::to_string(GetParam()),
                "--max-concurrent-requests",
                std::to_string(slots),
                "--log-level",
                "error"};
    }
};

// Half of the homes hold their slot for the whole time-out, so 1,000 x 500 ms / 10 s = 50 slots are
// needed for them; 120 leave room.
TEST_P(Budget, Promise9IsKeptAndHealthyHomesKeepTheirPeriodBesideStallingOnes) {
    const std::size_t count = fleet_size();
    const int slots = static_cast<int>(count * 3 / 50);
    Homes homes({"--homes", std::to_string(count), "--ports", "4"});
    homes.set("*?percent=50", R"({"poll":{"stall":"before-head"}})");
    const Rhythm rhythm{.period = "10s", .timeout = "500ms", .max_age = "60s"};
    const auto endpoint_of = [&homes](const std::string& name) { return homes.endpoint(name); };
    const ObserverProcess observer(fleet(count, 4, endpoint_of, rhythm, true, false), flags(slots));
    // Past the first attempts, all at once and paced by the budget, the rhythm must hold.
    ASSERT_TRUE(eventually(
        [&] { return homes.count("/poll/requests") >= static_cast<std::int64_t>(count * 3); },
        120s));
    const double needed = static_cast<double>(count) / 2 * 0.5 / 10;
    const auto keeps_the_rhythm = [&](const json::value& status) {
        return number(status, "/lateness/p50Seconds") < 0.25 &&
               std::abs(number(status, "/budget/needed") - needed) < needed * 0.3 &&
               status.at("advice").as_array().empty();
    };
    // Of the last half minute or so: what else the machine does may cost some of it.
    EXPECT_TRUE(eventually([&] { return keeps_the_rhythm(observer.get("/v1/status")); }, 120s))
        << json::serialize(observer.get("/v1/status"));
    EXPECT_LE(homes.count("/inFlightHighWater"), slots);
    EXPECT_GT(homes.count("/inFlightHighWater"), slots / 4);
}

TEST_P(Budget, SaysByHowMuchItIsShort) {
    constexpr std::size_t count = 200;  // 100 x 500 ms / 2 s = 25 slots are needed, 8 are there
    Homes homes({"--homes", std::to_string(count)});
    homes.set("*?percent=50", R"({"poll":{"stall":"before-head"}})");
    const Rhythm rhythm{.period = "2s", .timeout = "500ms", .max_age = "20s"};
    const auto endpoint_of = [&homes](const std::string& name) { return homes.endpoint(name); };
    const ObserverProcess observer(fleet(count, 4, endpoint_of, rhythm, true, false), flags(8));
    const auto advised = [&] {
        const json::value status = observer.get("/v1/status");
        return status.is_object() && !status.at("advice").as_array().empty() &&
               status.at("advice").at(0).as_string().find("8 slots, ") == 0 &&
               status.at("advice").at(0).as_string().find(
                   "set maxConcurrentRequests to at least") != json::string::npos;
    };
    EXPECT_TRUE(eventually(advised, 60s)) << json::serialize(observer.get("/v1/status"));
    EXPECT_LE(homes.count("/inFlightHighWater"), 8);
    EXPECT_TRUE(eventually(
        [&] { return observer.call("GET", "/status").body.find("slots, ") != std::string::npos; }));
}

// Many homes of one service wait for slots that stall; two homes of another must not wait behind
// them.
TEST_P(Budget, Promise10OneLargeServiceDoesNotStarveASmallOne) {
    Homes homes({"--homes", "202"});
    homes.set("*", R"({"poll":{"stall":"before-head"}})");
    homes.set("home-200", R"({"poll":{"report":2}})");
    homes.set("home-201", R"({"poll":{"report":2}})");
    const auto endpoint_of = [&homes](const std::string& name) { return homes.endpoint(name); };
    json::array services = json::parse(fleet(200, 200, endpoint_of, {}, true, false)).as_array();
    json::object small = service("small", {"home-200", "home-201"}, endpoint_of);
    small.erase("probe");
    services.push_back(std::move(small));
    const ObserverProcess observer(json::serialize(services), flags(8));
    // A fair share of 8 slots is 4, of which the small service uses 2 at most: every second.
    EXPECT_TRUE(eventually(
        [&] {
            const json::value reading = observer.home("default/small", "home-200");
            return reading.is_object() && reading.as_object().contains("capacity") &&
                   reading.at("capacity").as_object().contains("ceiling");
        },
        20s));
    EXPECT_LE(homes.count("/inFlightHighWater"), 8);
}

INSTANTIATE_TEST_SUITE_P(Reactors, Budget, testing::Values(1, 2, 4));

}  // namespace
}  // namespace ome::test
