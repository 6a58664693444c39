// Schedules and gates as people have seen them go wrong in the field (docs/field-cases.md), on a
// clock that moves only when told.
#include "fleet_support.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

class FieldFleet : public FleetTest {
protected:
    void declare_homes(std::size_t count) {
        ServiceDeclaration all = some_service("llama", {});
        for (std::size_t i = 0; i < count; ++i) {
            const std::string cluster = "home-" + std::to_string(i);
            all.homes.push_back({cluster, "http://" + cluster + ".example", std::nullopt});
        }
        all.probe = some_probe();
        all.probe->failure_threshold = 3;
        declare(all);
    }

    /// Each attempt ends with `outcome` as soon as it begins; when each home was tried.
    std::map<std::string, std::vector<SteadyTime>> run_for(Duration time) {
        std::map<std::string, std::vector<SteadyTime>> starts;
        const SteadyTime end = clock.steady() + time;
        while (clock.steady() < end) {
            for (const Attempt& attempt : due()) {
                starts[cluster_of(attempt)].push_back(clock.steady());
                finish(attempt, status(200));
            }
            sleep();
        }
        return starts;
    }

    /// The next attempt of the only home, when its time has come.
    Attempt next() {
        for (int wakeups = 0; wakeups < 100; ++wakeups) {
            sleep();
            if (const std::vector<Attempt> taken = due(); !taken.empty()) {
                EXPECT_EQ(taken.size(), 1u);
                return taken.front();
            }
        }
        ADD_FAILURE() << "no attempt is due";
        return {};
    }

    /// Tries the only home when it is due and says whether it is gated then.
    bool gated_after(const AttemptOutcome& outcome) {
        finish(next(), outcome);
        return home().probe->gated;
    }
};

AttemptOutcome no_answer(const char* why) {
    return fault(Fault::Unreachable, why);
}

TEST_F(FieldFleet, F35_AHundredHomesAreSpreadOverTheirPeriodAndDoNotDrift) {
    declare_homes(100);
    const SteadyTime begin = clock.steady();
    const auto starts = run_for(5min);
    ASSERT_EQ(starts.size(), 100u);
    std::vector<SteadyTime> all;
    for (const auto& [name, times] : starts) {
        EXPECT_EQ(times.front(), begin) << name << " is tried at once";
        for (std::size_t k = 1; k < times.size(); ++k) {
            EXPECT_EQ(times[k], times[1] + static_cast<int>(k - 1) * 10s) << name << ' ' << k;
        }
        std::copy_if(times.begin(), times.end(), std::back_inserter(all), [&](SteadyTime at) {
            return at > begin + 1min;
        });
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 25; i < all.size(); ++i) {
        ASSERT_GE(all[i] - all[i - 25], 100ms) << "26 of a hundred within 100 ms";
    }
}

TEST_F(FieldFleet, F37_AnAttemptThatOutlivesItsPeriodIsNotOvertaken) {
    declare_homes(3);
    const std::vector<Attempt> slow = due();
    ASSERT_EQ(slow.size(), 3u);
    for (int seconds = 0; seconds < 60; ++seconds) {
        clock.advance(1s);
        EXPECT_TRUE(due().empty());
    }
    EXPECT_EQ(fleet.counts().in_flight, 3u);
}

TEST_F(FieldFleet, F37_AfterAPauseEachHomeIsTriedOnceAndThenOnItsOldRhythm) {
    declare_homes(50);
    const auto before = run_for(40s);
    clock.advance(60s);
    std::map<std::string, std::size_t> burst;
    for (const Attempt& attempt : due()) {
        ++burst[cluster_of(attempt)];
        finish(attempt, status(200));
    }
    EXPECT_EQ(burst.size(), 50u);
    EXPECT_TRUE(due().empty()) << "nothing is made up for";
    for (const auto& [name, times] : run_for(20s)) {
        EXPECT_LE(burst[name], 1u);
        EXPECT_EQ((times.front() - before.at(name).at(1)) % 10s, 0s) << name;
    }
}

// Field users hold a gate to threshold times period.
TEST_F(FieldFleet, F39_AGateClosesAndLiftsWithinItsThresholds) {
    declare_homes(1);
    finish(only(), status(200));
    (void)gated_after(status(200));
    const auto until = [this](bool wanted, const AttemptOutcome& outcome, Duration takes) {
        std::optional<SteadyTime> begin;
        for (int tries = 0; tries < 10 && (!begin || home().probe->gated != wanted); ++tries) {
            const Attempt attempt = next();
            begin = begin.value_or(clock.steady());
            clock.advance(takes);
            finish(attempt, outcome);
        }
        return clock.steady() - *begin;
    };
    EXPECT_EQ(until(true, no_answer("context deadline exceeded"), 3s), 2 * 10s + 3s);
    EXPECT_EQ(until(false, status(200), 0s), 10s);
}

TEST_F(FieldFleet, F40_EveryKindOfFailureCountsTheSame) {
    declare_homes(1);
    finish(only(), status(200));
    EXPECT_FALSE(gated_after(status(503)));
    EXPECT_FALSE(gated_after(no_answer("context deadline exceeded")));
    EXPECT_FALSE(gated_after(status(200)));
    EXPECT_FALSE(gated_after(status(503)));
    EXPECT_FALSE(gated_after(no_answer("connection reset by peer")));
    EXPECT_TRUE(gated_after(fault(Fault::Body, "unexpected EOF")));
    EXPECT_TRUE(gated_after(status(200)));
    EXPECT_FALSE(gated_after(status(200)));
}

// The rule in its plainest form, to hold the gate against.
class Automaton {
public:
    bool after(bool passes) {
        failures_ = passes ? 0 : failures_ + 1;
        passes_ = passes && gated_ ? passes_ + 1 : 0;
        if (failures_ >= 3) {
            gated_ = true;
        }
        if (passes_ >= 2) {
            gated_ = false;
            passes_ = 0;
        }
        return gated_;
    }

private:
    int failures_ = 0;
    int passes_ = 0;
    bool gated_ = false;
};

TEST_F(FieldFleet, F41_CountersWorkTheThirdTimeAsTheFirst) {
    declare_homes(1);
    finish(only(), status(200));
    Automaton automaton;
    (void)automaton.after(true);
    const std::string cycle = "PPPPFFPFFFPFPP";
    for (std::size_t i = 0; i < 3 * cycle.size(); ++i) {
        const bool passes = cycle[i % cycle.size()] == 'P';
        EXPECT_EQ(gated_after(status(passes ? 200 : 503)), automaton.after(passes)) << "step " << i;
    }
}

}  // namespace
}  // namespace ome::core
