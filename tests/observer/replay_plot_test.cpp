#include "replay_plot.hpp"

#include "replay_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::observer {
namespace {

using testing::HasSubstr;
using testing::Not;

class ReplayPlot : public testing::Test {
protected:
    void draw(const RecordingText& recording, std::vector<PolicyUnderTrial> policies = {}) {
        if (policies.empty()) {
            policies = {{"as recorded", std::nullopt},
                        {"quick", policies_in_text(capacity_block(1, 1) + "," + probe_block(1))}};
        }
        std::string errors;
        auto found = compare(recording.text(), std::move(policies), "", errors);
        ASSERT_TRUE(found) << found.error().message << errors;
        comparison = std::move(*found);
        picture = draw_comparison(comparison, "attempts.ndjson");
    }

    [[nodiscard]] std::size_t count(const std::string& text) const {
        std::size_t found = 0;
        for (std::size_t at = picture.find(text); at != picture.npos;
             at = picture.find(text, at + 1)) {
            ++found;
        }
        return found;
    }

    static RecordingText story() {
        return RecordingText()
            .declared(capacity_block(3, 2) + "," + probe_block(2))
            .reports({4, 4, 4, 1, 4, 4, 1, 1, 1})
            .probe(503)
            .probe(503)
            .probe(200)
            .failed_poll()
            .reports({4, 4, 4});
    }

    ReplayComparison comparison;
    std::string picture;
};

/// Every element is closed in its order, and no text holds a bracket: what a parser of XML would
/// insist on.
void expect_well_formed(const std::string& picture) {
    std::vector<std::string> open;
    for (std::size_t at = 0; at < picture.size();) {
        const std::size_t begin = picture.find_first_of("<>", at);
        if (begin == picture.npos) {
            break;
        }
        ASSERT_EQ(picture[begin], '<') << picture.substr(begin, 80);
        const std::size_t end = picture.find_first_of("<>", begin + 1);
        ASSERT_NE(end, picture.npos);
        ASSERT_EQ(picture[end], '>') << picture.substr(begin, 80);
        const std::string tag = picture.substr(begin + 1, end - begin - 1);
        if (tag.front() == '/') {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(open.back(), tag.substr(1));
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
        at = end + 1;
    }
    EXPECT_TRUE(open.empty());
}

TEST_F(ReplayPlot, HasAPanelForEachPolicyWithItsFigures) {
    draw(story());
    expect_well_formed(picture);
    EXPECT_EQ(count("<g transform"), 2U);
    EXPECT_THAT(picture, HasSubstr(">a of s</text>"));
    EXPECT_THAT(picture, HasSubstr(">as recorded<"));
    EXPECT_THAT(picture, HasSubstr(">quick<"));
    EXPECT_THAT(picture, HasSubstr("samples 3, quorum 2"));
    EXPECT_THAT(picture, HasSubstr("1 of 3 drops false"));
    EXPECT_THAT(picture, HasSubstr("real changes followed, lag "));
    EXPECT_THAT(picture, HasSubstr("recording: attempts.ndjson"));
    EXPECT_THAT(picture, HasSubstr(">10:01:00<"));
}

TEST_F(ReplayPlot, DrawsReadingsCeilingPlanAndGate) {
    draw(story(), {{"as recorded", std::nullopt}});
    EXPECT_EQ(count(R"(class="report")"), 12U + 1U) << "and one of the legend";
    EXPECT_EQ(count(R"(class="gate")"), 1U + 1U);
    EXPECT_EQ(count(R"(class="bad")"), 3U + 1U) << "two probes and a poll";
    EXPECT_EQ(count(R"(class="ceiling")"), 1U + 1U);
    EXPECT_EQ(count(R"(class="plan")"), 1U + 1U);
    EXPECT_EQ(count(R"(class="false")"), 0U + 1U);
}

TEST_F(ReplayPlot, MarksFalseDrops) {
    draw(story());
    EXPECT_EQ(count(R"(class="false")"), 1U + 1U);
    EXPECT_THAT(picture,
                HasSubstr("10:00:30 UTC: the ceiling lowered the home from 4 to 1, and the next "
                          "readings show that nothing had been lost"));
}

TEST_F(ReplayPlot, NeedsNothingElse) {
    draw(story());
    EXPECT_THAT(picture, Not(HasSubstr("<script")));
    EXPECT_THAT(picture, Not(HasSubstr("href")));
    EXPECT_THAT(picture, Not(HasSubstr("@import")));
    EXPECT_EQ(count("http"), 1U) << "the name of the language";
    EXPECT_THAT(picture, HasSubstr("@media (prefers-color-scheme:dark)"));
}

TEST_F(ReplayPlot, WhatIsRecordedIsNoPartOfTheLanguage) {
    const std::string evil = R"(</text><script>alert('\"&amp;')</script>)";
    RecordingText recording;
    recording.declared(capacity_block(1, 1)).reports({1, 1});
    std::string errors;
    auto found = compare(recording.text(), {{evil, std::nullopt}}, "", errors);
    ASSERT_TRUE(found);
    found->home = evil;
    found->service = "]]>" + evil + std::string("\x00\x08\xff", 3);
    picture = draw_comparison(*found, evil);
    expect_well_formed(picture);
    EXPECT_THAT(picture, Not(HasSubstr("<script")));
    EXPECT_EQ(picture.find('\x08'), picture.npos);
    EXPECT_EQ(picture.find('\0'), picture.npos);
}

TEST_F(ReplayPlot, ALongRecordingStaysSmallAndKeepsItsDrops) {
    comparison.home = "a";
    comparison.rules.plan = 4;
    PolicyTrial trial;
    for (int i = 0; i < 500'000; ++i) {
        const bool drop = i == 333'333;
        trial.steps.push_back({.at = {i, 0},
                               .kind = i % 3 == 0 || drop ? core::StepKind::Report
                                       : i % 3 == 1       ? core::StepKind::Pass
                                                          : core::StepKind::Failure,
                               .servable = drop ? 0 : 3 + i % 2,
                               .ceiling = drop ? 0 : 3 + i % 2,
                               .gated = i % 100 == 99});
    }
    trial.figures = core::figures_of(trial.steps, comparison.rules);
    comparison.trials.push_back(std::move(trial));
    picture = draw_comparison(comparison, "long");
    expect_well_formed(picture);
    EXPECT_LT(picture.size(), 1'500'000U);
    EXPECT_THAT(picture, HasSubstr(R"(cy="222" r="1.5")")) << "the report of 0";
    EXPECT_EQ(count(R"(class="since")"), 0U) << "lines that would stand too close";
}

TEST_F(ReplayPlot, OneReadingIsAPicture) {
    draw(RecordingText().declared(capacity_block(1, 1)).report(0), {{"r", std::nullopt}});
    expect_well_formed(picture);
    EXPECT_THAT(picture, HasSubstr("no real change of what the home can serve"));
    EXPECT_THAT(picture, Not(HasSubstr("nan")));
    EXPECT_THAT(picture, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace ome::observer
