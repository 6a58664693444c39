#include "replay_trace.hpp"

#include "replay_fixture.hpp"

#include <gtest/gtest.h>

namespace ome::observer {
namespace {

using core::StepKind;

class ReplayTraceTest : public testing::Test {
protected:
    void run(const RecordingText& recording,
             std::vector<PolicyUnderTrial> policies = {{"as recorded", std::nullopt}},
             const std::string& home = "",
             std::optional<std::int32_t> plan = std::nullopt) {
        auto result = compare(recording.text(), std::move(policies), home, errors, plan);
        problem = result ? "" : result.error().message;
        if (result) {
            found = std::move(*result);
        }
    }
    [[nodiscard]] std::string ceilings(std::size_t trial = 0) const {
        std::string text;
        for (const core::ReplayStep& step : found.trials.at(trial).steps) {
            text += step.ceiling ? std::to_string(*step.ceiling) : "-";
        }
        return text;
    }

    std::string errors;
    std::string problem;
    ReplayComparison found;
    const std::string both = capacity_block(2, 2) + "," + probe_block(2);
};

TEST_F(ReplayTraceTest, KeepsWhatWasReadAndWhatWasKnownAfterwards) {
    run(RecordingText()
            .declared(both)
            .report(4)
            .report(3)
            .failed_poll()
            .probe(503)
            .probe(503)
            .probe(200));
    EXPECT_EQ(errors + problem, "");
    EXPECT_EQ(found.home, "a");
    EXPECT_EQ(found.service, "s");
    ASSERT_EQ(found.trials.size(), 1U);
    const auto& steps = found.trials[0].steps;
    ASSERT_EQ(steps.size(), 6U);
    EXPECT_EQ(steps[0].kind, StepKind::Report);
    EXPECT_EQ(steps[0].servable, 4);
    EXPECT_EQ(steps[2].kind, StepKind::FailedPoll);
    EXPECT_EQ(steps[4].kind, StepKind::Failure);
    EXPECT_TRUE(steps[4].gated);
    EXPECT_EQ(steps[5].kind, StepKind::Pass);
    EXPECT_FALSE(steps[5].gated);
    EXPECT_EQ(ceilings(), "-4----");
    EXPECT_EQ(found.rules.plan, 4);
    EXPECT_EQ(found.trials[0].policies.capacity->samples, 2);
}

TEST_F(ReplayTraceTest, PoliciesAreComparedOnTheSameEvents) {
    const RecordingText recording = RecordingText().declared(both).reports({4, 4, 1, 4, 4, 4});
    run(recording,
        {{"as recorded", std::nullopt},
         {"quick", policies_in_text(capacity_block(1, 1))},
         {"calm", policies_in_text(capacity_block(4, 2))}});
    ASSERT_EQ(found.trials.size(), 3U);
    EXPECT_EQ(ceilings(0), "-44444");
    EXPECT_EQ(ceilings(1), "441444");
    EXPECT_EQ(ceilings(2), "-44444");
    EXPECT_EQ(found.trials[1].figures.count(core::Drop::Verdict::False), 1U);
    EXPECT_EQ(found.trials[2].figures.count(core::Drop::Verdict::False), 0U);
    EXPECT_EQ(found.trials[1].name, "quick");
    EXPECT_EQ(found.trials[1].policies.capacity->samples, 1);
}

TEST_F(ReplayTraceTest, ACeilingEndsByItselfBetweenTwoAttempts) {
    run(RecordingText().declared(both).report(4).report(4).after(100).probe(200));
    const auto& steps = found.trials[0].steps;
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(ceilings(), "-4--");
    EXPECT_EQ(steps[2].kind, StepKind::Other);
    EXPECT_EQ(steps[2].at - steps[0].at, std::chrono::seconds(40));
}

TEST_F(ReplayTraceTest, OtherHomesAreToldAndOneIsChosen) {
    RecordingText recording;
    recording.declared(both).report(4).home("b").report(7).report(7);
    run(recording);
    EXPECT_EQ(found.home, "a");
    EXPECT_EQ(found.other_homes, std::vector<std::string>{"s/b"});
    for (const char* name : {"b", "s/b"}) {
        run(recording, {{"as recorded", std::nullopt}}, name);
        EXPECT_EQ(found.home, "b");
        EXPECT_EQ(found.other_homes, std::vector<std::string>{"s/a"});
        EXPECT_EQ(found.trials[0].steps.size(), 2U);
    }
    run(recording, {{"as recorded", std::nullopt}}, "c");
    EXPECT_EQ(problem, "--home \"c\": no attempt of it is in the recording, but of s/a, s/b");
}

TEST_F(ReplayTraceTest, WithoutDeclarationsThereIsNoRecordedPolicy) {
    RecordingText recording;
    recording.reports({4, 4});
    run(recording,
        {{"as recorded", std::nullopt}, {"quick", policies_in_text(capacity_block(1, 1))}});
    EXPECT_EQ(errors, "");
    ASSERT_EQ(found.trials.size(), 1U);
    EXPECT_EQ(found.trials[0].name, "quick");
    run(recording);
    EXPECT_NE(errors.find("declared by no earlier line"), errors.npos);
    EXPECT_NE(problem, "");
}

TEST_F(ReplayTraceTest, AChangeOfThePolicyIsAStep) {
    run(RecordingText()
            .declared(both)
            .report(4)
            .report(4)
            .declared(capacity_block(1, 1))
            .report(4));
    EXPECT_EQ(ceilings(), "-4-4");
}

TEST_F(ReplayTraceTest, WhatACancelledAttemptLeavesIsNoReading) {
    run(RecordingText().declared(both).report(4).line(R"("poll":{"error":{"kind":"cancelled"}})"));
    EXPECT_EQ(found.trials[0].steps[1].kind, StepKind::Other);
}

TEST_F(ReplayTraceTest, ThePlanMayBeGiven) {
    run(RecordingText().declared(both).reports({4, 4}), {{"r", std::nullopt}}, "", 2);
    EXPECT_EQ(found.rules.plan, 2);
    EXPECT_TRUE(found.plan_given);
}

}  // namespace
}  // namespace ome::observer
