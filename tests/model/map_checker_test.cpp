#include "model/map_checker.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::model {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Millis start = 1'790'000'000'000;

/// A service with one home `b`, three replicas, probe 3/2, poll with a quorum of 2.
class MapCheckerTest : public testing::Test {
protected:
    MapCheckerTest() { world.facts(start, "ns/x", facts()); }

    static ServiceFacts facts() {
        ServiceFacts facts;
        facts.uid = "u";
        facts.homes["b"] = {"http://b", 3, 3, 1};
        facts.probe = {{"p", 3, 2}};
        facts.capacity = {{"c", 2, 30'000}};
        return facts;
    }

    void answers(Millis from, AnswerKind kind, int times, std::int64_t servable = 0) {
        for (int i = 0; i < times; ++i) {
            world.answer("ns/x", "b", {start + from + i, kind, servable});
        }
    }

    /// An entry as text; a version with it alone is checked `after` the start.
    void version(Millis after, const std::string& entry) {
        const std::string text = R"({"spec":{"entries":[)" + entry + "]}}";
        checker.version(start + after, "ns/x", boost::json::parse(text).as_object());
    }

    static std::string entry(const std::string& capacity,
                             const std::string& probe = {},
                             const std::string& rest = R"("weight":1,"healthy":true)") {
        return R"({"cluster":"b","endpoint":"http://b",)" + rest + R"(,"capacity":)" + capacity +
               (probe.empty() ? "" : R"(,"probe":)" + probe) + "}";
    }

    static constexpr const char* plan = R"({"allocated":3,"ready":3,"source":"ControlPlane"})";
    static constexpr const char* gated =
        R"({"gated":true,"result":"Failing","lastProbeTime":"2026-09-21T14:13:30Z"})";
    static constexpr const char* out = R"("weight":0,"healthy":false)";
    static constexpr const char* passing =
        R"({"result":"Passing","lastProbeTime":"2026-09-21T14:13:20Z"})";

    World world{1000};
    MapChecker checker{world};
};

TEST_F(MapCheckerTest, AcceptsThePlan) {
    version(0, entry(plan));
    version(10, entry(plan, passing));
    EXPECT_THAT(checker.violations(), IsEmpty());
    EXPECT_EQ(checker.versions(), 2U);
}

TEST_F(MapCheckerTest, SeesMoreThanWasAdmitted) {
    version(0, entry(R"({"allocated":4,"ready":3,"source":"ControlPlane"})"));
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("promise 2")));
}

TEST_F(MapCheckerTest, TakesACeilingOfAQuorumOfFreshReportsOnly) {
    const std::string lowered =
        entry(R"({"allocated":1,"ready":3,"source":"Endpoint","reported":1})");
    answers(0, AnswerKind::Report, 1, 1);
    version(10, lowered);
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("promise 1")));
    answers(20, AnswerKind::Report, 1, 1);
    version(30, lowered);
    EXPECT_EQ(checker.violations().size(), 1U);
    version(40'000, lowered);
    EXPECT_EQ(checker.violations().size(), 2U);
}

TEST_F(MapCheckerTest, SeesAHomeLoweredByAFailedPoll) {
    answers(0, AnswerKind::NoReport, 5);
    version(10,
            entry(R"({"allocated":0,"ready":3,"source":"Endpoint"})",
                  {},
                  R"("weight":0,"healthy":true)"));
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("without a ceiling")));
}

TEST_F(MapCheckerTest, GatesAfterTheThresholdOnly) {
    world.facts(start, "ns/x", facts());
    answers(0, AnswerKind::Failing, 2);
    answers(5, AnswerKind::Unknown, 3);
    version(10, entry(plan, gated, out));
    // All homes are gated here, so a weight would be allowed: only the gate itself is wrong.
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("gated after 2 failures")));
}

TEST_F(MapCheckerTest, CountsFailuresSinceTheLastPassInTheMap) {
    answers(0, AnswerKind::Failing, 2);
    version(2'000, entry(plan, R"({"result":"Passing","lastProbeTime":"2026-09-21T14:13:22Z"})"));
    answers(3'000, AnswerKind::Failing, 2);
    version(4'000, entry(plan, gated, out));
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("gated after 2 failures")));
}

TEST_F(MapCheckerTest, OpensAfterPassesOrWhenTheHistoryEnds) {
    answers(0, AnswerKind::Failing, 3);
    version(10'000, entry(plan, gated, out));
    EXPECT_THAT(checker.violations(), IsEmpty());
    answers(11'000, AnswerKind::Passing, 1);
    version(12'000, entry(plan, passing));
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("opened after 1 passes")));
}

TEST_F(MapCheckerTest, LetsANewPolicyOpenTheGate) {
    answers(0, AnswerKind::Failing, 3);
    version(10'000, entry(plan, gated, out));
    ServiceFacts changed = facts();
    changed.probe->settings = "q";
    world.facts(start + 11'000, "ns/x", changed);
    version(11'010, entry(plan));
    EXPECT_THAT(checker.violations(), IsEmpty());
}

TEST_F(MapCheckerTest, SeesAGateThatARestartForgot) {
    answers(0, AnswerKind::Failing, 3);
    version(10'000, entry(plan, gated, out));
    version(12'000, entry(plan));
    EXPECT_EQ(checker.violations().size(), 2U);
}

TEST_F(MapCheckerTest, HoldsADrainThatReachedTheMap) {
    ServiceFacts drained = facts();
    drained.drains["d"] = "b";
    world.facts(start + 5'000, "ns/x", drained);
    const std::string held = R"("drainRefs":["d"],"healthy":true,"weight":)";
    version(6'000, entry(plan, {}, held + "0"));
    EXPECT_THAT(checker.violations(), IsEmpty());
    version(8'000, entry(plan, {}, held + "1"));
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("promise 5")));
    version(8'100, entry(plan));
    EXPECT_EQ(checker.violations().size(), 2U);
}

TEST_F(MapCheckerTest, WantsEveryDrainToBeSomebodys) {
    version(0, entry(plan, {}, R"("drainRefs":["d"],"healthy":true,"weight":0)"));
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("nobody drains")));
}

TEST_F(MapCheckerTest, LetsNoBadInputChangeTheMap) {
    version(0, entry(plan));
    ServiceFacts broken = facts();
    broken.valid = false;
    broken.homes["b"].ready = 2;
    world.facts(start + 1'000, "ns/x", broken);
    version(5'000, entry(plan));
    EXPECT_THAT(checker.violations(), IsEmpty());
    version(5'100, entry(R"({"allocated":3,"ready":2,"source":"ControlPlane"})"));
    EXPECT_THAT(checker.violations(), Contains(HasSubstr("promise 11")));
}

TEST_F(MapCheckerTest, WantsNoCeilingAfterSilence) {
    answers(0, AnswerKind::Report, 3, 5);
    world.silent(start);
    const std::string full =
        entry(R"({"allocated":3,"ready":3,"source":"ControlPlane","reported":5})");
    version(4'000, full);
    EXPECT_THAT(checker.violations(), IsEmpty());
    version(6'100, full);
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("promise 6")));
}

TEST_F(MapCheckerTest, LeavesForeignMapsAlone) {
    world.foreign("ns/x");
    version(0, "");
    version(1, entry(plan));
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("promise 8")));
}

TEST_F(MapCheckerTest, KnowsTheSharesOfHomes) {
    ServiceFacts two = facts();
    two.homes["c"] = {"http://c", 6, 6, 1};
    world.facts(start + 1, "ns/x", two);
    const std::string c =
        R"(,{"cluster":"c","endpoint":"http://c","weight":1,"healthy":true,"capacity":{"allocated":6,"ready":6,"source":"ControlPlane"}})";
    version(10, entry(plan) + c);
    EXPECT_THAT(checker.violations(), ElementsAre(HasSubstr("ratio")));
}

}  // namespace
}  // namespace ome::model
