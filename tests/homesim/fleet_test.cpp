#include "fleet.hpp"

#include <gtest/gtest.h>

namespace ome::homesim {
namespace {

using namespace std::chrono_literals;
using core::Kind;

SharedBehaviour with_status(int status) {
    Behaviour behaviour;
    behaviour.steps[0].status = status;
    return std::make_shared<const Behaviour>(behaviour);
}

class FleetTest : public testing::Test {
protected:
    FleetTest() : fleet(ten_homes(), now) {}

    static std::vector<std::string> ten_homes() {
        std::vector<std::string> names;
        names.reserve(10);
        for (int i = 0; i < 10; ++i) {
            names.push_back("home-" + std::to_string(i));
        }
        return names;
    }

    int next_status(const std::string& name) {
        Home& home = *fleet.find(name);
        const int status = fleet.begin(home, Kind::Probe, true, now)->status;
        fleet.answer(home, Kind::Probe);
        return status;
    }

    std::size_t broken_homes() {
        std::size_t count = 0;
        for (const std::string& name : ten_homes()) {
            count += next_status(name) == 503 ? 1U : 0U;
        }
        return count;
    }

    core::SteadyTime now{1h};
    Fleet fleet;
};

TEST_F(FleetTest, AppliesToANameAGlobAndAShare) {
    EXPECT_EQ(fleet.apply({"home-3"}, {nullptr, with_status(503)}, now), 1U);
    EXPECT_EQ(broken_homes(), 1U);
    EXPECT_EQ(next_status("home-3"), 503);
    EXPECT_EQ(fleet.apply({"home-[0-4]"}, {nullptr, with_status(503)}, now), 5U);
    EXPECT_EQ(broken_homes(), 5U);
    fleet.reset_behaviours(now);
    EXPECT_EQ(fleet.apply({"*", 30}, {nullptr, with_status(503)}, now), 3U);
    EXPECT_EQ(broken_homes(), 3U);
}

TEST_F(FleetTest, AppliesToNobodyAndToAllAtTheEndsOfTheShare) {
    EXPECT_EQ(fleet.apply({"*", 0}, {nullptr, with_status(503)}, now), 0U);
    EXPECT_EQ(fleet.apply({"*", 100}, {nullptr, with_status(503)}, now), 10U);
    EXPECT_EQ(fleet.apply({"nobody"}, {nullptr, with_status(503)}, now), 0U);
}

TEST_F(FleetTest, LeavesTheOtherKindAlone) {
    fleet.apply({"home-1"}, {with_status(503), nullptr}, now);
    EXPECT_EQ(next_status("home-1"), 200);
}

TEST_F(FleetTest, BeginsTheStepsAgainWhenTheBehaviourIsSet) {
    Behaviour behaviour;
    behaviour.steps.resize(2);
    behaviour.steps[0].status = 503;
    const auto shared = std::make_shared<const Behaviour>(behaviour);
    fleet.apply({"home-1"}, {nullptr, shared}, now);
    EXPECT_EQ(next_status("home-1"), 503);
    EXPECT_EQ(next_status("home-1"), 200);
    fleet.apply({"home-1"}, {nullptr, shared}, now);
    EXPECT_EQ(next_status("home-1"), 503);
}

TEST_F(FleetTest, KeepsAStepInUseWhileTheBehaviourChanges) {
    Home& home = *fleet.find("home-1");
    fleet.apply({"home-1"}, {nullptr, with_status(418)}, now);
    const auto step = fleet.begin(home, Kind::Probe, true, now);
    fleet.apply({"home-1"}, {nullptr, with_status(200)}, now);
    EXPECT_EQ(step->status, 418);
}

TEST_F(FleetTest, CountsWhatIsInFlightByHomeAndInTotal) {
    Home& one = *fleet.find("home-1");
    Home& two = *fleet.find("home-2");
    (void)fleet.begin(one, Kind::Probe, true, now);
    (void)fleet.begin(two, Kind::Probe, true, now);
    fleet.leave(one, Kind::Probe, Left::Reset);
    (void)fleet.begin(one, Kind::Probe, false, now);
    EXPECT_EQ(one.of(Kind::Probe).counters.in_flight.high(), 1U);
    EXPECT_EQ(one.of(Kind::Probe).counters.left_reset, 1U);
    EXPECT_EQ(one.of(Kind::Probe).counters.fresh_connections, 1U);
    EXPECT_EQ(fleet.total(Kind::Probe).in_flight.now(), 2U);
    EXPECT_EQ(fleet.total(Kind::Probe).in_flight.high(), 2U);
    EXPECT_EQ(fleet.total(Kind::Poll).requests, 0U);
}

TEST_F(FleetTest, KeepsCountingWhatWasInFlightAtAReset) {
    Home& home = *fleet.find("home-1");
    (void)fleet.begin(home, Kind::Probe, true, now);
    fleet.reset_counters();
    EXPECT_EQ(fleet.total(Kind::Probe).requests, 0U);
    EXPECT_EQ(fleet.total(Kind::Probe).in_flight.high(), 1U);
    fleet.answer(home, Kind::Probe);
    EXPECT_EQ(fleet.total(Kind::Probe).in_flight.now(), 0U);
}

TEST(Gaps, AreThoseOfTheLastAttempts) {
    Gaps gaps;
    core::SteadyTime at{1h};
    EXPECT_FALSE(gaps.summary());
    gaps.mark(at);
    EXPECT_FALSE(gaps.summary());
    for (const core::Duration gap : {1s, 3s, 2s}) {
        gaps.mark(at += gap);
    }
    EXPECT_EQ(gaps.summary()->least, 1s);
    EXPECT_EQ(gaps.summary()->median, 2s);
    EXPECT_EQ(gaps.summary()->most, 3s);
    for (int i = 0; i < 32; ++i) {
        gaps.mark(at += 5s);
    }
    EXPECT_EQ(gaps.summary()->least, 5s);
    EXPECT_EQ(gaps.summary()->count, 32U);
}

}  // namespace
}  // namespace ome::homesim
