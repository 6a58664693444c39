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
              "probe.steps[1].stal is not a behaviour (see --list)");
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
