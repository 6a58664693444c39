#include "change_log.hpp"

#include <gtest/gtest.h>
#include <support/captured_log.hpp>

#include <algorithm>

namespace ome::observer {
namespace {

core::HomeReading reading() {
    core::HomeReading home;
    home.cluster = "worker-a";
    return home;
}

TEST(TroubleOf, IsTheProbesMessageUnlessItPasses) {
    core::HomeReading home = reading();
    EXPECT_EQ(trouble_of(home), "");
    home.probe.emplace().message = "HTTP 301 (not in accept or gate list)";
    EXPECT_EQ(trouble_of(home), "HTTP 301 (not in accept or gate list)");
    home.probe->result = core::ProbeResult::Failing;
    home.probe->message = "HTTP 503";
    EXPECT_EQ(trouble_of(home), "HTTP 503");
    home.probe->result = core::ProbeResult::Passing;
    EXPECT_EQ(trouble_of(home), "");
}

TEST(TroubleOf, IsTheFallbackReasonOnceThereWasTimeForACeiling) {
    core::HomeReading home = reading();
    home.capacity.emplace().fallback_reason = "no capacity report yet";
    EXPECT_EQ(trouble_of(home), "");
    home.capacity->fallback_reason = "capacity report awaiting quorum (1/2 accepted samples)";
    EXPECT_EQ(trouble_of(home), "");
    home.capacity->fallback_reason = "capacity endpoint returned HTTP 404";
    EXPECT_EQ(trouble_of(home), "capacity endpoint returned HTTP 404");
    home.capacity->ceiling = 2;
    EXPECT_EQ(trouble_of(home), "");
}

core::Change failing(std::int32_t failures) {
    core::Change change;
    change.service = {"prod", "llama"};
    change.reading = reading();
    change.reading.probe.emplace().result = core::ProbeResult::Failing;
    change.reading.probe->message = "HTTP 503";
    change.reading.probe->consecutive_failures = failures;
    return change;
}

TEST(ChangeLog, TellsATroubleOnceAMinuteWithTheFailuresThatTheProbeCounted) {
    test::CapturedLog captured;
    ChangeLog log;
    const core::SteadyTime start{std::chrono::hours(1)};
    for (int second = 0; second <= 60; ++second) {
        const core::SteadyTime now = start + std::chrono::seconds(second);
        log.log(failing(second / 2 + 1), now);
        log.log(failing(second / 2 + 1), now);  // the poll's news, while the probe fails
    }
    const std::string text = captured.text();
    EXPECT_NE(text.find("reason=\"HTTP 503\" failures=1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("reason=\"HTTP 503\" failures=31\n"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

TEST(ChangeLog, SaysOnceForAllHomesWhatLetsARefusedAddressBeObserved) {
    test::CapturedLog captured;
    ChangeLog log;
    for (const char* cluster : {"worker-a", "worker-b"}) {
        core::Change change = failing(0);
        change.reading.cluster = cluster;
        change.reading.probe->result = core::ProbeResult::Unknown;
        change.reading.probe->message = "probe could not run: address refused by policy";
        log.log(change, core::SteadyTime(std::chrono::hours(1)));
    }
    const std::string text = captured.text();
    EXPECT_NE(text.find("serve --allow-loopback"), std::string::npos) << text;
    EXPECT_EQ(text.find("serve --allow-loopback"), text.rfind("serve --allow-loopback")) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

}  // namespace
}  // namespace ome::observer
