// What happens to a process: it is told to end, it is stopped and goes on, its clock is set, it has
// few descriptors, it is declared to without a pause. None of it is a home's fault.
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
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

TEST_F(LifeCycle, SigtermFailsReadinessEndsStreamsAndLetsARequestFinish) {
    Homes homes({"--homes", "1"});
    const std::uint16_t health = free_port();
    ObserverProcess observer("", {"--health-listen", "127.0.0.1:" + std::to_string(health)});
    const auto readiness = [&] { return http_call(health, "GET", "/readyz").status; };
    EXPECT_EQ(readiness(), 200);
    RawClient stream(observer.port());
    ASSERT_TRUE(stream.send("GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    EXPECT_NE(stream.read_until("\"Bookmark\"").find("200 OK"), std::string::npos);
    RawClient slow(observer.port());
    ASSERT_TRUE(slow.send(
        "PUT /v1/services HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
        "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n"));
    EXPECT_NE(slow.read_until("100 Continue").find("100 Continue"), std::string::npos);

    observer.process().signal(SIGTERM);
    EXPECT_TRUE(eventually([&] { return readiness() == 503; }));
    const std::string last = stream.read_until("\r\n0\r\n\r\n");
    EXPECT_TRUE(last.ends_with("0\r\n\r\n")) << last;
    EXPECT_NE(last.rfind("\"Bookmark\""), std::string::npos) << last;
    ASSERT_TRUE(slow.send("\n"));
    EXPECT_NE(slow.read_until("}\n").find("HTTP/1.1 200"), std::string::npos);
    EXPECT_EQ(observer.process().wait_for_exit(), 0) << observer.process().output();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // a library goes in before it

// Debian's faketime moves the wall clock of one process and leaves the steady one alone.
constexpr const char* fake_time = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

TEST_F(LifeCycle, AWallClockThatIsSetCostsCeilingsAndNoProbe) {
    if (!std::filesystem::exists(fake_time)) {
        GTEST_SKIP() << "the package faketime is not installed";
    }
    const Scratch scratch;
    const auto set_clock = [&scratch](const char* offset) {
        std::filesystem::rename(scratch.write("new", offset), scratch.path("offset"));
    };
    set_clock("+0");
    Homes homes({"--homes", "4"});
    homes.set("*", R"({"poll":{"report":2}})");
    const ObserverProcess observer(services(homes, 4),
                                   {},
                                   {"/usr/bin/env",
                                    std::string("LD_PRELOAD=") + fake_time,
                                    "FAKETIME_TIMESTAMP_FILE=" + scratch.path("offset"),
                                    "FAKETIME_NO_CACHE=1",
                                    "DONT_FAKE_MONOTONIC=1",
                                    "FAKETIME_DONT_FAKE_MONOTONIC=1"});
    const auto fallen_back = [&] { return observer.get("/v1/status").at("fallback"); };
    const auto goes_on = [&] {
        const std::int64_t before = homes.count("/probe/requests");
        EXPECT_TRUE(eventually([&] { return homes.count("/probe/requests") >= before + 8; }));
    };
    EXPECT_TRUE(eventually([&] { return fallen_back() == 0; }));
    for (const char* step : {"+3600", "-3600"}) {
        set_clock(step);
        EXPECT_TRUE(eventually([&] { return fallen_back() == 4; })) << step;
        goes_on();
        set_clock("+0");
        EXPECT_TRUE(eventually([&] { return fallen_back() == 0; })) << "back from " << step;
        goes_on();
    }
    EXPECT_EQ(observer.get("/v1/status").at("gated"), 0);
    EXPECT_EQ(metric(observer, R"(ome_observer_attempts_total{kind="probe",result="failing"})"), 0);
    EXPECT_EQ(homes.count("/probe/highWaterOfOneHome"), 1);
}

#endif

// Bodies and heads without end: what they may cost is the cap of each request in flight.
TEST_F(LifeCycle, Promise9NothingThatAHomeSendsMakesMemoryGrow) {
    Homes homes({"--homes", "50"});
    homes.set("*", R"({"probe":{"oversize":1000000000},"poll":{"oversize":1000000000}})");
    homes.set("home-*1", R"({"probe":{"drip":"1ms","oversize":100000,"dripHead":true}})");
    const ObserverProcess observer(services(homes, 50), {"--max-concurrent-requests", "64"});
    const auto resident = [&] { return metric(observer, "process_resident_memory_bytes"); };
    ASSERT_TRUE(eventually([&] { return homes.count("/probe/requests") >= 50; }, 30s));
    const double early = resident();
    ASSERT_TRUE(eventually([&] { return homes.count("/probe/requests") >= 500; }, 60s));
    // 64 x (64 KiB + 128 KiB), and room for the allocator's and a sanitizer's habits.
    EXPECT_LT(resident() - early, 64.0 * (65536 + 131072) + 128.0 * 1024 * 1024);
    EXPECT_LE(homes.count("/inFlightHighWater"), 64);
}

TEST_F(LifeCycle, F37_AStandstillOfTheProcessIsNoHomesFault) {
    Homes homes({"--homes", "60"});
    homes.set("*", R"({"probe":{"latency":"200ms"},"poll":{"latency":"200ms","report":2}})");
    // Shorter than a standstill, and long for a home on a busy machine.
    const Rhythm rhythm{.period = "1s", .timeout = "900ms", .max_age = "4s"};
    const auto endpoint_of = [&](const std::string& name) { return homes.endpoint(name); };
    ObserverProcess observer(fleet(60, 4, endpoint_of, rhythm),
                             {"--max-concurrent-requests", "128"});
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

TEST_F(LifeCycle, WithTooFewDescriptorsToStartItSaysSo) {
    for (const char* limit : {"6", "8", "12", "16", "20"}) {
        Process process({"/bin/sh",
                         "-c",
                         fmt::format("ulimit -n {}; exec \"$0\" \"$@\"", limit),
                         std::getenv("OME_OBSERVER"),
                         "serve",
                         "--listen",
                         "127.0.0.1:0",
                         "--reactors",
                         "2"});
        EXPECT_EQ(process.wait_for_exit(), 1) << limit << ": " << process.output();
        EXPECT_EQ(process.output(),
                  fmt::format("ome-observer: the descriptor limit {} is too low for 2 reactors: it "
                              "must be at least 21 (ulimit -n)\n",
                              limit));
    }
}

TEST_F(LifeCycle, F33_FewDescriptorsSlowItDownAndGateNobody) {
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
