// What happens to a process: it is stopped and goes on, it has few descriptors, it is declared to
// without a pause. None of it is a home's fault.
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <charconv>
#include <csignal>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

double metric(const ObserverProcess& observer, std::string_view series) {
    const std::string page = observer.call("GET", "/metrics").body;
    const std::size_t at = page.find("\n" + std::string(series) + " ");
    return at == std::string::npos ? -1.0 : std::atof(page.c_str() + at + series.size() + 2);
}

class LifeCycle : public testing::Test {
protected:
    static std::string services(const Homes& homes, std::size_t count) {
        return fleet(count, 4, [&](const std::string& name) { return homes.endpoint(name); }, {});
    }
};

TEST_F(LifeCycle, AStandstillOfTheProcessIsNoHomesFault) {
    Homes homes({"--homes", "60"});
    homes.set("*", R"({"probe":{"latency":"200ms"},"poll":{"latency":"200ms","report":2}})");
    ObserverProcess observer(services(homes, 60), {"--max-concurrent-requests", "64"});
    ASSERT_TRUE(eventually([&] { return homes.count("/probe/answered") >= 120; }));
    for (int i = 0; i < 3; ++i) {
        observer.process().signal(SIGSTOP);
        std::this_thread::sleep_for(1500ms);
        observer.process().signal(SIGCONT);
        std::this_thread::sleep_for(1200ms);
    }
    EXPECT_EQ(metric(observer, R"(ome_observer_attempts_total{kind="probe",result="failing"})"), 0);
    EXPECT_EQ(metric(observer, R"(ome_observer_attempts_total{kind="poll",result="failed"})"), 0);
    EXPECT_GT(metric(observer, R"(ome_observer_attempts_without_result_total{reason="stalled"})"),
              0);
    EXPECT_EQ(observer.get("/v1/status").at("gated"), 0);
}

TEST_F(LifeCycle, FewDescriptorsSlowItDownAndGateNobody) {
    Homes homes({"--homes", "100"});
    const ObserverProcess observer(
        services(homes, 100), {}, {"/bin/sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\""});
    EXPECT_TRUE(eventually(
        [&] {
            const json::value status = observer.get("/v1/status");
            return status.is_object() && status.at("fallback") == 0;
        },
        30s))
        << json::serialize(observer.get("/v1/status"));
    EXPECT_EQ(observer.get("/v1/status").at("gated"), 0);
    EXPECT_EQ(metric(observer, R"(ome_observer_attempts_total{kind="probe",result="failing"})"), 0);
    EXPECT_LT(metric(observer, "process_open_fds"), 64);
}

TEST_F(LifeCycle, DeclarationsWithoutAPauseLeaveTheRhythmAlone) {
    Homes homes({"--homes", "40"});
    ObserverProcess observer("");
    const auto endpoint_of = [&](const std::string& name) { return homes.endpoint(name); };
    const json::array all = json::parse(fleet(40, 4, endpoint_of, {})).as_array();
    int refused = 0;
    for (int round = 0; round < 60; ++round) {
        for (const json::value& one : all) {
            const std::string path =
                "/v1/services/default/" + std::string(one.at("name").as_string());
            refused += observer.call("PUT", path, json::serialize(one)).status == 200 ? 0 : 1;
        }
    }
    EXPECT_EQ(refused, 0);
    EXPECT_TRUE(eventually([&] { return observer.get("/v1/status").at("fallback") == 0; }));
    EXPECT_LE(homes.count("/probe/highWaterOfOneHome"), 1) << "never two at once for one home";
    EXPECT_EQ(
        metric(observer, R"(ome_observer_attempts_without_result_total{reason="superseded"})"), 0)
        << "declaring the same again keeps what is in flight";
}

}  // namespace
}  // namespace ome::test
