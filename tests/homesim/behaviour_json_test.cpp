#include "behaviour_json.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::homesim {
namespace {

using namespace std::chrono_literals;

core::Result<Behaviour> probe(std::string_view text) {
    return behaviour_from_json(
        boost::json::parse(boost::json::string_view(text.data(), text.size())), core::Kind::Probe);
}

std::string problem_of(std::string_view text) {
    const core::Result<Behaviour> result = probe(text);
    return result ? "none" : result.error().message;
}

std::vector<int> statuses(const Behaviour& behaviour, std::uint64_t attempts) {
    std::vector<int> seen;
    for (std::uint64_t i = 0; i < attempts; ++i) {
        seen.push_back(behaviour.steps[step_index(behaviour, i, 0ns)].status);
    }
    return seen;
}

TEST(BehaviourJson, RepeatsTheLastStepOfAList) {
    EXPECT_EQ(statuses(*probe(R"({"status":[503,503,200]})"), 5),
              (std::vector<int>{503, 503, 200, 200, 200}));
}

TEST(BehaviourJson, BeginsAgainWhenItCycles) {
    EXPECT_EQ(statuses(*probe(R"({"status":[503,200],"cycle":true})"), 5),
              (std::vector<int>{503, 200, 503, 200, 503}));
}

TEST(BehaviourJson, ChangesStepExactlyWhenItsTimeIsOver) {
    const Behaviour behaviour = *probe(R"({"status":[503,200],"hold":"2s"})");
    EXPECT_EQ(step_index(behaviour, 9, 2s - 1ns), 0U);
    EXPECT_EQ(step_index(behaviour, 0, 2s), 1U);
    EXPECT_EQ(step_index(behaviour, 0, 1h), 1U);
}

TEST(BehaviourJson, GivesEachListItsOwnLastValue) {
    const core::Result<Behaviour> poll = behaviour_from_json(
        boost::json::parse(R"({"report":[4,1],"status":[200,200,503]})"), core::Kind::Poll);
    ASSERT_TRUE(poll);
    ASSERT_EQ(poll->steps.size(), 3U);
    EXPECT_EQ(poll->steps[0].report, 4);
    EXPECT_EQ(poll->steps[2].report, 1);
    EXPECT_EQ(poll->steps[2].status, 503);
}

TEST(BehaviourJson, KeepsAPollReportingUnlessToldOtherwise) {
    const auto poll = [](const char* text) {
        return behaviour_from_json(boost::json::parse(text), core::Kind::Poll)->steps[0].report;
    };
    EXPECT_EQ(poll(R"({"latency":"5ms"})"), 1);
    EXPECT_EQ(poll(R"({"body":"<html>"})"), std::nullopt);
    EXPECT_EQ(poll(R"({"gone":true})"), std::nullopt);
}

TEST(BehaviourJson, NamesTheFieldTheValueAndTheRule) {
    EXPECT_EQ(problem_of(R"({"status":99})"),
              "probe.status (99) must be a whole number from 100 to 999");
    EXPECT_EQ(problem_of(R"({"status":100})"), "none");
    EXPECT_EQ(problem_of(R"({"latency":"fast"})"),
              "probe.latency (\"fast\") must be a duration such as \"250ms\" or \"1.5s\"");
    EXPECT_EQ(problem_of(R"({"latency":{"min":"2s","max":"1s"}})"),
              "probe.latency ({\"min\":\"2s\",\"max\":\"1s\"}) must have 0 <= min <= max");
    EXPECT_EQ(problem_of(R"({"steps":[{},{"stal":"in-body"}]})"),
              "probe.steps[1].stal is not a behaviour (see --list); did you mean stall?");
    EXPECT_EQ(problem_of(R"({"status":[]})"), "probe.status must have 1 to 10000 values");
    EXPECT_EQ(problem_of(R"({"steps":[]})"), "probe.steps must have 1 to 10000 values");
    EXPECT_EQ(problem_of(R"({"reset":"somewhere"})"),
              "probe.reset (\"somewhere\") must be true, false, or a place as for stall");
    EXPECT_EQ(problem_of(R"({"latency":{"median":"1s"}})"),
              "probe.latency.sigma must be a number above 0, at most 5");
    EXPECT_EQ(problem_of(R"({"latency":{"mean":"1s","sigma":1}})"),
              "probe.latency.sigma is not a latency");
    EXPECT_EQ(problem_of(R"({"broken":"nicely"})")
                  .find("probe.broken (\"nicely\") must be one of length-short, length-long, "),
              0U);
    EXPECT_EQ(problem_of(R"({"drip":"0s"})"), "probe.drip (\"0s\") must be positive");
}

TEST(BehaviourJson, RefusesMembersThatContradictEachOtherAndNamesBoth) {
    EXPECT_EQ(
        problem_of(R"({"stall":"in-body","reset":true})"),
        "probe.reset (true) contradicts probe.stall (\"in-body\"): an answer ends in one way");
    EXPECT_EQ(problem_of(R"({"gone":true,"status":503})"),
              "probe.status (503) contradicts probe.gone (true): an answer that is gone is a 404 "
              "without a report");
    EXPECT_EQ(
        problem_of(R"({"steps":[{},{"body":"x","report":1}]})"),
        "probe.steps[1].body (\"x\") contradicts probe.steps[1].report (1): an answer has one "
        "body");
    EXPECT_EQ(
        problem_of(R"({"broken":"gzip","framing":"chunked"})"),
        "probe.framing (\"chunked\") contradicts probe.broken (\"gzip\"): a broken answer has "
        "its own bytes and end");
    EXPECT_EQ(
        problem_of(R"({"steps":[{}],"status":503})"),
        "probe.status (503) contradicts probe.steps: beside a list of steps it stands in each");
    EXPECT_EQ(problem_of(R"({"stall":"in-body","reset":false,"gone":false,"status":503})"), "none");
}

TEST(BehaviourJson, LooksForContradictionsStepByStep) {
    EXPECT_EQ(problem_of(R"({"reset":[true,false],"close":[false,true]})"), "none");
    EXPECT_EQ(problem_of(R"({"reset":[false,true],"close":[false,true]})"),
              "probe.close (true) contradicts probe.reset (true): an answer ends in one way");
}

TEST(BehaviourJson, RefusesAMemberThatHasNothingToApplyTo) {
    EXPECT_EQ(problem_of(R"({"status":503,"cycle":true})"),
              "probe.cycle (true) needs a list, of steps or of values: there is one step");
    EXPECT_EQ(problem_of(R"({"hold":"5s"})"),
              "probe.hold (\"5s\") needs a list, of steps or of values: there is one step");
    EXPECT_EQ(problem_of(R"({"status":[1,2],"hold":"0s"})").find("probe.status (1) must be"), 0U);
    EXPECT_EQ(problem_of(R"({"status":[200,503],"hold":"0s"})"),
              "probe.hold (\"0s\") must be positive");
    EXPECT_EQ(problem_of(R"({"dripHead":true})"),
              "probe.dripHead (true) needs probe.drip: nothing drips without it");
    EXPECT_EQ(problem_of(R"({"age":"5s"})"),
              "probe.age (\"5s\") needs probe.report: this answer has none");
    EXPECT_EQ(problem_of(R"({"status":204,"stall":"in-body"})"),
              "probe.stall (\"in-body\") needs an answer with a body, and status (204) has none");
    EXPECT_EQ(problem_of(R"({"status":304,"oversize":7})"),
              "probe.oversize (7) needs an answer with a body, and status (304) has none");
    EXPECT_EQ(problem_of(R"({"body":"","reset":"after-head"})"),
              "probe.reset (\"after-head\") needs an answer with a body, and probe.body (\"\") is "
              "empty");
    EXPECT_EQ(problem_of(R"({"status":204,"stall":"in-head"})"), "none");
    EXPECT_EQ(problem_of(R"({"cycle":false,"dripHead":false})"), "none");
}

TEST(BehaviourJson, AStepOfAListHoldsSingleValues) {
    EXPECT_EQ(problem_of(R"({"steps":[{"status":[]}]})"),
              "probe.steps[0].status ([]) must be one value: it is in a step of a list");
    EXPECT_EQ(problem_of(R"({"steps":[{"cycle":true}]})"),
              "probe.steps[0].cycle (true) must stand beside the list, not in a step of it");
}

TEST(BehaviourJson, GivesAnAnswerABodyWhereSomethingHappensInIt) {
    for (const char* text : {R"({"stall":"after-head"})",
                             R"({"reset":"in-body"})",
                             R"({"close":"after-head","status":503})",
                             R"({"drip":"5ms"})"}) {
        EXPECT_GT(probe(text)->steps[0].body.size(), 2U) << text;
    }
    for (const char* text :
         {R"({"stall":"in-head"})", R"({"reset":true})", R"({"drip":"5ms","dripHead":true})"}) {
        EXPECT_EQ(probe(text)->steps[0].body, "") << text;
    }
    EXPECT_EQ(probe(R"({"stall":"in-body","body":"mine"})")->steps[0].body, "mine");
}

TEST(BehaviourJson, ShowsWhatItWasTold) {
    for (const char* text :
         {R"({"status":503,"latency":{"min":"1ms","max":"2ms"}})",
          R"({"stall":"in-head","framing":"chunked","keepAlive":false})",
          R"({"steps":[{"reset":true},{"close":true}],"cycle":true,"hold":"5s"})",
          R"({"body":"x","oversize":10,"drip":"1500us","dripHead":true})",
          R"({"reset":"in-body","latency":{"mean":"20ms"}})",
          R"({"close":"after-head","latency":{"median":"20ms","sigma":0.5,"max":"1s"}})",
          R"({"broken":"length-short","skew":"-5s"})"}) {
        const Behaviour once = *probe(text);
        const boost::json::object shown = to_json(once);
        const Behaviour twice = *behaviour_from_json(shown, core::Kind::Probe);
        EXPECT_EQ(once.steps, twice.steps) << text << " became " << shown;
        EXPECT_EQ(once.cycle, twice.cycle);
        EXPECT_EQ(once.hold, twice.hold);
    }
}

}  // namespace
}  // namespace ome::homesim
