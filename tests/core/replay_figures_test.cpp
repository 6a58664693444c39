#include <ome/core/replay_figures.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

using namespace std::chrono_literals;
using Ending = RealChange::Ending;
using Verdict = Drop::Verdict;

constexpr auto no_ceiling = std::nullopt;

/// Steps one second apart.
class ReplayFiguresTest : public testing::Test {
protected:
    void report(std::int32_t count, std::optional<std::int32_t> ceiling) {
        add({.at = {}, .kind = StepKind::Report, .servable = count, .ceiling = ceiling});
    }
    void failed_poll() { add({.at = {}, .kind = StepKind::FailedPoll}); }
    void probe(bool passes, bool gated) {
        add({.at = {},
             .kind = passes ? StepKind::Pass : StepKind::Failure,
             .ceiling = steps.empty() ? no_ceiling : steps.back().ceiling,
             .gated = gated});
    }
    void add(ReplayStep step) {
        step.at.seconds = static_cast<std::int64_t>(steps.size());
        steps.push_back(step);
    }
    void reports(const std::vector<std::int32_t>& counts, std::optional<std::int32_t> ceiling) {
        for (const std::int32_t count : counts) {
            report(count, ceiling);
        }
    }
    [[nodiscard]] ReplayFigures figures() const { return figures_of(steps, rules); }

    FigureRules rules{.plan = 4, .confirm = 2};
    std::vector<ReplayStep> steps;
};

TEST_F(ReplayFiguresTest, ThereAreNoneOfNothing) {
    const ReplayFigures none = figures();
    EXPECT_TRUE(none.changes.empty());
    EXPECT_TRUE(none.drops.empty());
    EXPECT_FALSE(none.median_lag());
    EXPECT_FALSE(none.longest_lag());
}

TEST_F(ReplayFiguresTest, TheLagOfAFallEndsWhenTheCeilingHasFallen) {
    reports({4, 4}, 4);
    reports({1, 1}, 4);  // seconds 2 and 3
    report(1, 3);
    report(1, 1);  // second 5
    const ReplayFigures found = figures();
    ASSERT_EQ(found.changes.size(), 1U);
    EXPECT_EQ(found.changes[0].at.seconds, 2);
    EXPECT_EQ(found.changes[0].from, 4);
    EXPECT_EQ(found.changes[0].to, 1);
    EXPECT_EQ(found.changes[0].ending, Ending::Followed);
    EXPECT_EQ(found.median_lag(), 3s);
}

TEST_F(ReplayFiguresTest, TheLagOfARiseEndsWithTheCeilingOrWithoutOne) {
    reports({1, 1}, 1);
    reports({4, 4, 4}, 1);
    report(4, 4);
    EXPECT_EQ(figures().longest_lag(), 3s);
    steps.pop_back();
    failed_poll();
    EXPECT_EQ(figures().longest_lag(), 3s) << "nothing holds the home down any more";
}

TEST_F(ReplayFiguresTest, OneReportThatStandsAloneIsNoChange) {
    reports({4, 1, 4, 4, 1, 4, 9}, 4);
    EXPECT_TRUE(figures().changes.empty());
    rules.confirm = 1;
    EXPECT_EQ(figures().changes.size(), 4U);
}

TEST_F(ReplayFiguresTest, TheLastReportIsNotConfirmed) {
    reports({4, 4, 1}, 4);
    EXPECT_TRUE(figures().changes.empty());
}

TEST_F(ReplayFiguresTest, AFailedPollTellsNothingOfWhatCanBeServed) {
    report(4, 4);
    report(1, 4);
    failed_poll();
    report(1, 1);
    ASSERT_EQ(figures().changes.size(), 1U);
    EXPECT_EQ(figures().changes[0].at.seconds, 1);
}

TEST_F(ReplayFiguresTest, AChangeGoesAsFarAsTheReportsAgree) {
    reports({4, 1, 2, 2}, 2);
    ASSERT_EQ(figures().changes.size(), 1U);
    EXPECT_EQ(figures().changes[0].to, 2);
}

TEST_F(ReplayFiguresTest, AFallInStepsIsNotOvertakenByItself) {
    reports({4, 3, 2, 1}, 4);
    report(1, 1);
    const ReplayFigures found = figures();
    ASSERT_EQ(found.changes.size(), 3U);
    EXPECT_EQ(found.count(Ending::Followed), 3U);
    EXPECT_EQ(found.longest_lag(), 3s);
    EXPECT_EQ(found.median_lag(), 2s);
}

TEST_F(ReplayFiguresTest, AChangeTheOtherWayOvertakesAndTheEndLeavesPending) {
    reports({4, 1, 1, 4, 4}, 4);
    reports({2, 2}, 4);
    const ReplayFigures found = figures();
    ASSERT_EQ(found.changes.size(), 3U);
    EXPECT_EQ(found.changes[0].ending, Ending::Overtaken);
    EXPECT_EQ(found.changes[0].until.seconds, 3);
    EXPECT_EQ(found.changes[1].ending, Ending::Followed) << "it had never fallen";
    EXPECT_EQ(found.changes[2].ending, Ending::Pending);
    EXPECT_EQ(found.longest_lag(), 0s);
}

TEST_F(ReplayFiguresTest, WhatIsAboveThePlanIsNoChange) {
    reports({4, 9, 9, 5, 5}, 4);
    EXPECT_TRUE(figures().changes.empty());
    EXPECT_TRUE(figures().drops.empty());
}

TEST_F(ReplayFiguresTest, ADropIsFalseWhenTheNextReadingsShowThatNothingWasLost) {
    reports({4, 4}, 4);
    report(1, 1);
    reports({4, 4}, 4);
    const ReplayFigures found = figures();
    ASSERT_EQ(found.drops.size(), 1U);
    EXPECT_EQ(found.drops[0].at.seconds, 2);
    EXPECT_EQ(found.drops[0].from, 4);
    EXPECT_EQ(found.drops[0].to, 1);
    EXPECT_EQ(found.drops[0].cause, Drop::Cause::Ceiling);
    EXPECT_EQ(found.drops[0].verdict, Verdict::False);
}

TEST_F(ReplayFiguresTest, ADropIsRightWhenOneOfTheNextReadingsIsLower) {
    reports({4, 4}, 4);
    report(1, 1);
    report(4, 1);
    report(3, 1);
    EXPECT_EQ(figures().count(Verdict::Right), 1U);
    EXPECT_EQ(figures().count(Verdict::False), 0U);
}

TEST_F(ReplayFiguresTest, ADropAtTheEndIsUndecided) {
    reports({4, 4}, 4);
    report(1, 1);
    report(4, 1);
    EXPECT_EQ(figures().count(Verdict::Undecided), 1U);
    EXPECT_EQ(figures().count(Verdict::False), 0U);
}

TEST_F(ReplayFiguresTest, TheFirstCeilingBelowThePlanIsADropThatTheNextReportsJustify) {
    reports({3, 3, 3}, 3);
    ASSERT_EQ(figures().drops.size(), 1U);
    EXPECT_EQ(figures().drops[0].verdict, Verdict::Right);
}

TEST_F(ReplayFiguresTest, AGateIsJudgedByProbesAlone) {
    reports({4, 4}, 4);
    probe(false, true);
    add({.at = {}, .kind = StepKind::Report, .servable = 1, .ceiling = 4, .gated = true});
    probe(true, true);
    probe(true, false);
    const ReplayFigures found = figures();
    ASSERT_EQ(found.drops.size(), 1U);
    EXPECT_EQ(found.drops[0].cause, Drop::Cause::Gate);
    EXPECT_EQ(found.drops[0].to, 0);
    EXPECT_EQ(found.drops[0].verdict, Verdict::False);
}

TEST_F(ReplayFiguresTest, AGateIsRightWhenTheHomeStillFails) {
    probe(false, true);
    probe(true, true);
    probe(false, true);
    EXPECT_EQ(figures().count(Verdict::Right), 1U);
}

TEST_F(ReplayFiguresTest, ACeilingThatFallsBehindAClosedGateLowersNothing) {
    probe(false, true);
    add({.at = {}, .kind = StepKind::Report, .servable = 1, .ceiling = 1, .gated = true});
    EXPECT_EQ(figures().drops.size(), 1U);
}

TEST_F(ReplayFiguresTest, ThePlanIsTheHighestReportWhereNobodyKnowsBetter) {
    reports({2, 7, 3}, 2);
    failed_poll();
    EXPECT_EQ(highest_report(steps), 7);
    EXPECT_EQ(gets(steps.back(), 7), 7);
    EXPECT_EQ(gets(steps.front(), 7), 2);
}

}  // namespace
}  // namespace ome::core
