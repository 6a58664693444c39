#include <ome/core/attempt.hpp>

#include <gtest/gtest.h>
#include <support/fake_clock.hpp>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

ProbePolicy probe_policy() {
    ProbePolicy policy;
    policy.accept_statuses = {200, 301};
    policy.gate_statuses = {500, 503};
    return policy;
}

CapacityPolicy capacity_policy() {
    CapacityPolicy policy;
    policy.max_age = 30s;
    return policy;
}

AttemptOutcome outcome(Fault fault, std::optional<std::int32_t> status, std::string text = "x") {
    AttemptOutcome made;
    made.fault = fault;
    made.status = status;
    made.text = std::move(text);
    return made;
}

std::string probe(const AttemptOutcome& made) {
    const auto verdict = judge_probe(probe_policy(), made);
    return verdict ? std::string(to_string(verdict->result)) + ": " + verdict->message : "none";
}

std::string poll(const AttemptOutcome& made) {
    const test::FakeClock clock;
    const auto verdict = judge_poll(capacity_policy(), made, clock.wall());
    if (!verdict) {
        return "none";
    }
    const auto* reason = std::get_if<std::string>(&*verdict);
    return reason != nullptr ? *reason : "accepted";
}

std::string poll_of(std::int32_t servable, Duration age) {
    const test::FakeClock clock;
    AttemptOutcome made = outcome(Fault::None, 200);
    made.report = CapacityReport{servable, clock.wall() + -age};
    return poll(made);
}

TEST(JudgeProbe, AStatusDecidesAcceptListFirst) {
    EXPECT_EQ(probe(outcome(Fault::None, 200)), "Passing: HTTP 200");
    EXPECT_EQ(probe(outcome(Fault::None, 301)), "Passing: HTTP 301");
    EXPECT_EQ(probe(outcome(Fault::None, 503)), "Failing: HTTP 503");
    EXPECT_EQ(probe(outcome(Fault::None, 429)), "Unknown: HTTP 429 (not in accept or gate list)");
    EXPECT_EQ(probe(outcome(Fault::None, 999)), "Unknown: HTTP 999 (not in accept or gate list)");
}

TEST(JudgeProbe, WhatCouldNotRunProvesNothing) {
    EXPECT_EQ(probe(outcome(Fault::InvalidUrl, {})), "Unknown: probe could not run: x");
    EXPECT_EQ(probe(outcome(Fault::Refused, {}, "address refused by policy")),
              "Unknown: probe could not run: address refused by policy");
}

TEST(JudgeProbe, AFaultOutranksTheStatus) {
    EXPECT_EQ(probe(outcome(Fault::Unreachable, {})), "Failing: transport error: x");
    EXPECT_EQ(probe(outcome(Fault::Body, 429, "unexpected EOF")),
              "Failing: response body error: unexpected EOF");
    EXPECT_EQ(probe(outcome(Fault::Deadline, 200)),
              "Failing: transport error: context deadline exceeded");
}

TEST(Judge, WhatWeEndedOurselvesIsNoResult) {
    for (const Fault fault : {Fault::Cancelled, Fault::Stalled}) {
        EXPECT_EQ(probe(outcome(fault, 503)), "none");
        EXPECT_EQ(poll(outcome(fault, 503)), "none");
    }
}

TEST(JudgePoll, NamesWhatKeptTheAnswerAway) {
    EXPECT_EQ(poll(outcome(Fault::InvalidUrl, {})),
              "capacity request URL is invalid: join endpoint and capacity path: x");
    EXPECT_EQ(poll(outcome(Fault::Refused, {}, "address refused by policy")),
              "capacity endpoint unreachable: address refused by policy");
    EXPECT_EQ(poll(outcome(Fault::Unreachable, {})), "capacity endpoint unreachable: x");
}

TEST(JudgePoll, AStatusOtherThan200OutranksTheBody) {
    EXPECT_EQ(poll(outcome(Fault::Body, 429)), "capacity endpoint returned HTTP 429");
    EXPECT_EQ(poll(outcome(Fault::Deadline, 204)), "capacity endpoint returned HTTP 204");
    EXPECT_EQ(poll(outcome(Fault::Body, 200)), "reading capacity response: x");
    EXPECT_EQ(poll(outcome(Fault::Deadline, 200)),
              "capacity request did not complete: context deadline exceeded");
}

TEST(JudgePoll, PassesTheDecodersReasonOn) {
    AttemptOutcome made = outcome(Fault::None, 200);
    made.report = std::string("capacity report has no servable count");
    EXPECT_EQ(poll(made), "capacity report has no servable count");
}

TEST(JudgePoll, ChecksTheCountThenTheFutureThenTheAge) {
    EXPECT_EQ(poll_of(0, 0s), "accepted");
    EXPECT_EQ(poll_of(-1, -1s), "capacity report is negative (-1)");
    EXPECT_EQ(poll_of(1, -1ns), "capacity report timestamp is in the future");
    EXPECT_EQ(poll_of(1, 30s - 1ns), "accepted");
    EXPECT_EQ(poll_of(1, 30s), "capacity report is stale (at least configured maximum age 30s)");
}

TEST(ClockSkew, OnlyWhatWholeSecondsProveCounts) {
    const WallTime date{1000, 0};
    const auto skew_at = [&](std::int64_t seconds, std::int32_t nanoseconds) {
        return clock_skew_seconds(date, {seconds, nanoseconds});
    };
    EXPECT_EQ(skew_at(1000, 0), 0);
    EXPECT_EQ(skew_at(1001, 0), 0);
    EXPECT_EQ(skew_at(1001, 999'999'999), 0);
    EXPECT_EQ(skew_at(1002, 0), -1);
    EXPECT_EQ(skew_at(999, 1), 0);
    EXPECT_EQ(skew_at(999, 0), 1);
    EXPECT_EQ(skew_at(0, 0), 1000);
    EXPECT_EQ(skew_at(5000, 0), -3999);
}

TEST(CertificateExpiry, IsNearSevenDaysBefore) {
    const WallTime now{1'000'000, 5};
    const std::int64_t week = std::int64_t{7} * 24 * 3600;
    EXPECT_TRUE(expires_soon({now.seconds + week, 0}, now));
    EXPECT_FALSE(expires_soon({now.seconds + week + 1, 0}, now));
    EXPECT_TRUE(expires_soon({0, 0}, now));
}

TEST(ToldFault, IsDeadlineWhereverTheTimeoutCame) {
    const auto told = [](Fault fault, std::string text) {
        AttemptOutcome outcome;
        outcome.fault = fault;
        outcome.text = std::move(text);
        return told_fault(outcome);
    };
    EXPECT_EQ(told(Fault::Unreachable, "context deadline exceeded"), Fault::Deadline);
    EXPECT_EQ(told(Fault::Body, "context deadline exceeded"), Fault::Deadline);
    EXPECT_EQ(told(Fault::Deadline, ""), Fault::Deadline);
    EXPECT_EQ(told(Fault::Unreachable, "connection refused"), Fault::Unreachable);
    EXPECT_EQ(told(Fault::Body, "unexpected EOF"), Fault::Body);
    EXPECT_EQ(told(Fault::None, ""), Fault::None);
}

}  // namespace
}  // namespace ome::core
