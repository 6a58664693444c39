// What takes a minute: a long standstill, and declarations without end (`tools/test --long`).
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

double metric(const ObserverProcess& observer, std::string_view series) {
    const std::string page = observer.call("GET", "/metrics").body;
    const std::size_t at = page.find("\n" + std::string(series) + " ");
    return at == std::string::npos ? -1.0 : std::atof(page.c_str() + at + series.size() + 2);
}

TEST(Long, F37_AMinuteOfStandstillIsNoHomesFaultAndMakesNoBurst) {
    Homes homes({"--homes", "60"});
    homes.set("*", R"({"probe":{"latency":"200ms"},"poll":{"latency":"200ms","report":2}})");
    const auto endpoint_of = [&](const std::string& name) { return homes.endpoint(name); };
    ObserverProcess observer(fleet(60, 4, endpoint_of, {}), {"--max-concurrent-requests", "32"});
    ASSERT_TRUE(eventually([&] { return homes.count("/probe/answered") >= 180; }, 30s));
    observer.process().signal(SIGSTOP);
    std::this_thread::sleep_for(60s);
    const std::int64_t before = homes.count("/probe/requests");
    observer.process().signal(SIGCONT);
    EXPECT_TRUE(eventually([&] { return homes.count("/probe/requests") >= before + 60; }, 30s));
    EXPECT_EQ(homes.count("/probe/highWaterOfOneHome"), 1) << "one attempt of a home at a time";
    EXPECT_LE(homes.count("/inFlightHighWater"), 32);
    EXPECT_EQ(metric(observer, R"(ome_observer_attempts_total{kind="probe",result="failing"})"), 0);
    EXPECT_EQ(observer.get("/v1/status").at("gated"), 0);
}

TEST(Long, AMinuteOfThreeHundredDeclarationsASecondLeavesTheRhythmAlone) {
    constexpr int a_second = 300;
    constexpr int seconds = 60;
    Homes homes({"--homes", "400"});
    const auto endpoint_of = [&](const std::string& name) { return homes.endpoint(name); };
    const Rhythm rhythm{.period = "2s", .timeout = "500ms", .max_age = "20s"};
    const json::array all = json::parse(fleet(400, 4, endpoint_of, rhythm)).as_array();
    ObserverProcess observer("", {"--max-concurrent-requests", "64"});
    int refused = 0;
    const auto begin = Clock::now();
    for (int i = 0; i < a_second * seconds; ++i) {
        const json::value& one = all[static_cast<std::size_t>(i) % all.size()];
        const std::string path = "/v1/services/default/" + std::string(one.at("name").as_string());
        refused += observer.call("PUT", path, json::serialize(one)).status == 200 ? 0 : 1;
        std::this_thread::sleep_until(begin + i * std::chrono::microseconds(1'000'000 / a_second));
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    std::printf("%d declarations in %.1f s; lateness %s\n",
                a_second * seconds,
                took.count(),
                json::serialize(observer.get("/v1/status").at("lateness")).c_str());
    EXPECT_EQ(refused, 0);
    EXPECT_TRUE(eventually([&] { return observer.get("/v1/status").at("fallback") == 0; }));
    EXPECT_EQ(homes.count("/probe/highWaterOfOneHome"), 1);
    EXPECT_EQ(
        metric(observer, R"(ome_observer_attempts_without_result_total{reason="superseded"})"), 0);
    EXPECT_EQ(metric(observer, R"(ome_observer_attempts_total{kind="probe",result="failing"})"), 0);
}

}  // namespace
}  // namespace ome::test
