#include <ome/core/advice.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

TEST(BudgetAdvice, SaysByHowMuchAShortBudgetIsShort) {
    const auto advice = budget_advice({.limit = 16, .needed = 30.6, .lateness = 4200ms});
    ASSERT_EQ(advice.size(), 1U);
    EXPECT_EQ(
        advice[0],
        "16 slots, 31 needed: attempts are 4.2 s late; set maxConcurrentRequests to at least 40");
}

TEST(BudgetAdvice, SpeaksOfOneSlotAsOfOne) {
    const auto of_one = [](double needed) {
        return budget_advice({.limit = 1, .needed = needed, .lateness = 4200ms}).at(0);
    };
    EXPECT_EQ(of_one(1.5).find("1 slot, 2 needed: "), 0U) << of_one(1.5);
    EXPECT_NE(of_one(0.5).find("1 of 1 slot suffices on average"), std::string::npos);
}

TEST(BudgetAdvice, IsSilentWhileTheBudgetSuffices) {
    EXPECT_TRUE(budget_advice({.limit = 16, .needed = 15.9, .lateness = 250ms}).empty());
    EXPECT_TRUE(budget_advice({.limit = 16, .needed = 0, .lateness = 0ms}).empty());
    // The burst of first attempts waits, but a budget that suffices will work it off.
    EXPECT_TRUE(budget_advice({.limit = 16, .needed = 15, .lateness = 0ms, .wait = 9s}).empty());
}

TEST(BudgetAdvice, SpeaksWhileOnlyFirstAttemptsWereTriedYet) {
    const auto advice = budget_advice({.limit = 16, .needed = 2000, .lateness = 0ms, .wait = 12s});
    ASSERT_EQ(advice.size(), 1U);
    EXPECT_EQ(advice[0],
              "16 slots, 2000 needed: attempts are 12.0 s late; set maxConcurrentRequests to at "
              "least 2500");
}

TEST(BudgetAdvice, NamesTheOtherCausesOfLateness) {
    const auto advice = budget_advice({.limit = 16, .needed = 3.2, .lateness = 251ms});
    ASSERT_EQ(advice.size(), 1U);
    EXPECT_NE(advice[0].find("4 of 16 slots suffice"), std::string::npos) << advice[0];
}

TEST(SufficientLimit, LeavesAQuarterOfRoomAndIsRound) {
    EXPECT_EQ(sufficient_limit(30.6), 40);
    EXPECT_EQ(sufficient_limit(32.1), 44);
    EXPECT_EQ(sufficient_limit(400), 500);
    EXPECT_EQ(sufficient_limit(1000), 1300);
}

}  // namespace
}  // namespace ome::core
