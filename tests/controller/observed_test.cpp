#include "observed.hpp"

#include "reconciler_fixture.hpp"

#include <gmock/gmock.h>

namespace ome::controller {
namespace {

using testing::HasSubstr;

// 2026-09-28T10:03:20Z
constexpr std::int64_t ten_past = 1'790'589'800;

core::HomeReading reading(bool gated, std::int64_t seconds) {
    core::HomeReading home{
        .cluster = "worker-b", .endpoint = "http://b.test", .capacity = {}, .probe = {}};
    core::ProbeReading probe;
    probe.policy_digest = "sha256:one";
    probe.gated = gated;
    probe.last_probe_time = core::WallTime{seconds, 0};
    home.probe = probe;
    return home;
}

core::ServiceDeclaration declaration() {
    core::ServiceDeclaration declared;
    declared.probe.emplace().digest = "sha256:one";
    declared.homes.push_back({"worker-b", "http://b.test", std::nullopt});
    return declared;
}

class GatedSince : public testing::Test {
protected:
    void told(const core::HomeReading& home) { readings.replace({home}, ++revision); }
    void changed(const core::HomeReading& home) {
        readings.merge({home}, ++revision, declaration());
    }
    [[nodiscard]] std::optional<core::WallTime> since() const {
        return readings.find("worker-b")->gated_since;
    }

    Readings readings;
    std::uint64_t revision = 0;
};

TEST_F(GatedSince, IsTheProbeOfTheReadingInWhichTheGateClosed) {
    told(reading(false, ten_past - 10));
    EXPECT_EQ(since(), std::nullopt);
    changed(reading(true, ten_past));
    EXPECT_EQ(since(), (core::WallTime{ten_past, 0}));
    changed(reading(true, ten_past + 10));
    told(reading(true, ten_past + 20));  // the observer is connected anew
    EXPECT_EQ(since(), (core::WallTime{ten_past, 0}));
}

TEST_F(GatedSince, BeginsAgainWithTheNextGate) {
    told(reading(false, ten_past));
    changed(reading(true, ten_past + 10));
    changed(reading(false, ten_past + 20));
    EXPECT_EQ(since(), std::nullopt);
    changed(reading(true, ten_past + 30));
    EXPECT_EQ(since(), (core::WallTime{ten_past + 30, 0}));
}

TEST_F(GatedSince, IsKnownWhenTheFirstProbeClosesTheGate) {
    core::HomeReading before = reading(false, ten_past);
    before.probe.reset();
    told(before);
    changed(reading(true, ten_past + 10));
    EXPECT_EQ(since(), (core::WallTime{ten_past + 10, 0}));
}

TEST_F(GatedSince, IsNotKnownOfAGateThatWasClosedBeforeTheFirstReading) {
    told(reading(true, ten_past));
    changed(reading(true, ten_past + 10));
    EXPECT_EQ(since(), std::nullopt);
}

TEST_F(GatedSince, SaysNothingAboutAnotherEndpointOrPolicy) {
    told(reading(false, ten_past));
    core::HomeReading elsewhere = reading(true, ten_past + 10);
    elsewhere.endpoint = "http://c.test";
    told(elsewhere);
    EXPECT_EQ(since(), std::nullopt);
    told(reading(false, ten_past + 20));
    core::HomeReading otherwise = reading(true, ten_past + 30);
    otherwise.probe->policy_digest = "sha256:two";
    told(otherwise);
    EXPECT_EQ(since(), std::nullopt);
}

class GateExplanation : public test::ReconcilerTest {
protected:
    std::string explained() {
        const auto explanation = reconciler().explain({"demo", "chat"}, clock.now());
        return explanation ? explanation->homes.at(1).text : explanation.error().message;
    }
};

TEST_F(GateExplanation, ShowsTheTimeUntilARestart) {
    begin();
    put(test::routed_service());
    settle();
    ceilings = {{"worker-a", 2}, {"worker-b", 1}};
    gates = {{"worker-a", false}, {"worker-b", false}};
    sync();
    clock.advance(std::chrono::seconds(ten_past - clock.wall().seconds));
    gates["worker-b"] = true;
    tell();
    EXPECT_EQ(explained(),
              "worker-b 0: admitted 2, ready 2, ceiling 1 -> 1; gated by probe since 10:03:20 "
              "(HTTP 503, 3 failures) -> 0");
    restart();
    settle();
    EXPECT_THAT(explained(), HasSubstr("gated by probe (HTTP 503, 3 failures) -> 0"));
    sync();
    EXPECT_THAT(explained(), HasSubstr("gated by probe (HTTP 503, 3 failures) -> 0"));
}

}  // namespace
}  // namespace ome::controller
