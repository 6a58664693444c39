#include <ome/core/capacity_window.hpp>

#include <gtest/gtest.h>
#include <support/fake_clock.hpp>

#include <algorithm>
#include <deque>
#include <random>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

class CapacityWindowTest : public testing::Test {
protected:
    bool accept(std::int32_t servable, Duration age = 0s) {
        return window.accept({servable, clock.wall() + -age}, clock.wall());
    }
    std::optional<std::int32_t> ceiling() {
        window.expire(clock.wall());
        return window.ceiling();
    }
    std::string reason() {
        window.expire(clock.wall());
        return window.reason();
    }

    test::FakeClock clock;
    CapacityWindow window{{3, 2, 30s}};
};

TEST_F(CapacityWindowTest, HasNoReportAtFirst) {
    EXPECT_EQ(ceiling(), std::nullopt);
    EXPECT_EQ(reason(), "no capacity report yet");
    EXPECT_EQ(window.valid_until(), std::nullopt);
    EXPECT_EQ(window.next_change(), std::nullopt);
}

TEST_F(CapacityWindowTest, TakesTheQuorumthSmallestOfTheLastSamples) {
    accept(8);
    EXPECT_EQ(reason(), "capacity report awaiting quorum (1/2 accepted samples)");
    accept(5);
    EXPECT_EQ(ceiling(), 8);
    accept(3);
    EXPECT_EQ(ceiling(), 5);
    accept(9);  // the 8 leaves
    EXPECT_EQ(ceiling(), 5);
    accept(9);  // the 5 leaves
    EXPECT_EQ(ceiling(), 9);
    EXPECT_EQ(reason(), "");
}

TEST_F(CapacityWindowTest, DropsASampleAtItsAgeLimitWithoutWaitingForAPoll) {
    accept(8);
    accept(5);
    clock.advance(30s - 1ns);
    EXPECT_EQ(ceiling(), 8);
    clock.advance(1ns);
    EXPECT_EQ(ceiling(), std::nullopt);
    EXPECT_EQ(reason(), "capacity report is stale (at least configured maximum age 30s)");
}

TEST_F(CapacityWindowTest, SaysHowManySamplesExpiryLeft) {
    accept(4, 20s);
    accept(6);
    clock.advance(10s);
    EXPECT_EQ(reason(),
              "capacity report awaiting quorum after stale samples expired (1/2 accepted samples)");
}

TEST_F(CapacityWindowTest, AReportThatIsStaleByNowIsAFailedPoll) {
    accept(8);
    accept(8);
    accept(5, 30s - 1ns);
    EXPECT_EQ(ceiling(), 8);
    accept(5, 30s);
    EXPECT_EQ(reason(), "capacity report is stale (at least configured maximum age 30s)");
    EXPECT_TRUE(window.samples().empty());
}

TEST_F(CapacityWindowTest, AFailedPollReleasesTheCeilingAtOnce) {
    accept(0);
    accept(0);
    EXPECT_EQ(ceiling(), 0);
    EXPECT_TRUE(window.fail("capacity endpoint returned HTTP 503"));
    EXPECT_EQ(ceiling(), std::nullopt);
    EXPECT_FALSE(window.fail("capacity endpoint returned HTTP 503"));
    EXPECT_TRUE(window.fail(""));
    EXPECT_EQ(reason(), "capacity report unavailable");
}

TEST_F(CapacityWindowTest, SaysWhetherCeilingOrReasonChanged) {
    EXPECT_TRUE(accept(8, 10s));
    EXPECT_TRUE(accept(8));
    EXPECT_FALSE(accept(8));
    clock.advance(20s);
    EXPECT_FALSE(window.expire(clock.wall()));  // a sample went, the ceiling stayed
    EXPECT_EQ(window.samples().size(), 2u);
}

TEST_F(CapacityWindowTest, IsValidUntilExpiryMovesTheCeilingNotUntilASampleGoes) {
    accept(9, 25s);  // above the ceiling: does not count
    accept(1, 20s);
    accept(4);
    EXPECT_EQ(ceiling(), 4);
    EXPECT_EQ(window.valid_until(), clock.wall() + 10s);
    clock.advance(5s);
    EXPECT_EQ(ceiling(), 4);
    EXPECT_EQ(window.next_change(), window.valid_until());
}

TEST_F(CapacityWindowTest, WithoutACeilingEveryExpiryIsAChange) {
    window = CapacityWindow({3, 3, 30s});
    accept(4, 20s);
    accept(6);
    EXPECT_EQ(window.valid_until(), std::nullopt);
    EXPECT_EQ(window.next_change(), clock.wall() + 10s);
}

// The contract in its own words, slowly.
struct SlowWindow {
    struct Kept {
        std::int32_t servable;
        WallTime expiry;
    };
    std::deque<Kept> kept;
    std::size_t samples;
    std::size_t quorum;

    void expire(WallTime now) {
        std::erase_if(kept, [&](const Kept& one) { return one.expiry <= now; });
    }
    std::optional<std::int32_t> ceiling() const {
        std::vector<std::int32_t> counts;
        for (const Kept& one : kept) {
            counts.push_back(one.servable);
        }
        std::sort(counts.begin(), counts.end());
        return counts.size() < quorum ? std::nullopt : std::optional(counts[quorum - 1]);
    }
    std::optional<WallTime> valid_until() const {
        SlowWindow later = *this;
        std::vector<WallTime> instants;
        for (const Kept& one : kept) {
            instants.push_back(one.expiry);
        }
        std::sort(instants.begin(), instants.end());
        for (const WallTime at : instants) {
            later.expire(at);
            if (later.ceiling() != ceiling()) {
                return at;
            }
        }
        return std::nullopt;
    }
};

TEST_F(CapacityWindowTest, AgreesWithASlowModelOnAnyHistory) {
    std::mt19937 random(20260919);  // NOLINT: the same on every run
    const auto pick = [&](int below) {
        return static_cast<std::int32_t>(random() % static_cast<unsigned>(below));
    };
    for (int round = 0; round < 200; ++round) {
        const std::int32_t samples = 1 + pick(8);
        const std::int32_t quorum = 1 + pick(samples);
        window = CapacityWindow({samples, quorum, 30s});
        SlowWindow slow{{}, static_cast<std::size_t>(samples), static_cast<std::size_t>(quorum)};
        for (int step = 0; step < 60; ++step) {
            clock.advance(std::chrono::seconds(pick(12)));
            slow.expire(clock.wall());
            if (pick(12) == 0) {
                window.fail("x");
                slow.kept.clear();
            } else if (pick(3) != 0) {
                const CapacityReport report{pick(6),
                                            clock.wall() + -std::chrono::seconds(pick(29))};
                window.accept(report, clock.wall());
                slow.kept.push_back({report.servable, report.observed_at + 30s});
                if (slow.kept.size() > slow.samples) {
                    slow.kept.pop_front();
                }
            }
            ASSERT_EQ(ceiling(), slow.ceiling());
            ASSERT_EQ(window.reason().empty(), window.ceiling().has_value());
            ASSERT_EQ(window.valid_until(), slow.valid_until());
        }
    }
}

}  // namespace
}  // namespace ome::core
