#include <ome/wire/replay_document.hpp>

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

using core::Fault;

class ReplayEvents : public testing::Test {
protected:
    core::Result<ReplayEvent> read(std::string_view members) {
        line_ = R"({"at":"2026-09-28T10:00:00.5Z","home":"a",)" + std::string(members) + "}";
        return whole(line_);
    }
    core::Result<ReplayEvent> whole(std::string line) {
        length_ = line.size();
        line_ = std::move(line);
        line_.resize(length_ + ReplayReader::padding);
        return reader_.read({line_.data(), length_});
    }
    std::string error(std::string_view members) {
        const auto event = read(members);
        return event ? "accepted" : event.error().message;
    }
    core::AttemptOutcome outcome(std::string_view members) {
        const auto event = read(members);
        EXPECT_TRUE(event) << event.error().message;
        return event ? event->outcome : core::AttemptOutcome{};
    }

    std::string line_;
    std::size_t length_ = 0;
    ReplayReader reader_{64};
};

TEST_F(ReplayEvents, AReportIsDecoded) {
    const auto event =
        read(R"("service":"s","endpoint":"http://h","poll":{"status":200,)"
             R"("body":"{\"servable\":4,\"observedAt\":\"1970-01-01T00:00:07Z\"}"})");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->at, (core::WallTime{1'790'589'600, 500'000'000}));
    EXPECT_EQ(event->action, ReplayAction::Poll);
    EXPECT_EQ(event->home, "a");
    EXPECT_EQ(event->service, "s");
    EXPECT_EQ(event->endpoint, "http://h");
    EXPECT_EQ(std::get<core::CapacityReport>(event->outcome.report),
              (core::CapacityReport{4, {7, 0}}));
}

TEST_F(ReplayEvents, ABodyIsReadOnlyForAPollWith200) {
    EXPECT_EQ(outcome(R"("poll":{"status":503,"body":"x"})").report.index(), 0u);
    EXPECT_EQ(outcome(R"("probe":{"status":200,"body":"x"})").report.index(), 0u);
    EXPECT_EQ(outcome(R"("poll":{"status":200})").report.index(), 2u);
}

TEST_F(ReplayEvents, ABodyOverTheLimitIsAFailedPoll) {
    const std::string members = R"("poll":{"status":200,"body":")";
    EXPECT_EQ(outcome(members + std::string(64, ' ') + "\"}").fault, Fault::None);
    const core::AttemptOutcome made = outcome(members + std::string(65, ' ') + "\"}");
    EXPECT_EQ(made.fault, Fault::Body);
    EXPECT_EQ(made.text, "response exceeds configured limit of 64 bytes");
}

TEST_F(ReplayEvents, AnErrorIsAStringOrSaysItsKind) {
    EXPECT_EQ(outcome(R"("poll":{"error":"refused"})").fault, Fault::Unreachable);
    EXPECT_EQ(outcome(R"("poll":{"error":"refused"})").text, "refused");
    const core::AttemptOutcome body =
        outcome(R"("poll":{"error":{"kind":"body","text":"unexpected EOF"}})");
    EXPECT_EQ(body.fault, Fault::Body);
    EXPECT_EQ(body.status, 200);
    EXPECT_EQ(outcome(R"("poll":{"status":429,"error":{"kind":"deadline"}})").status, 429);
    EXPECT_EQ(outcome(R"("probe":{"error":{"kind":"cancelled"}})").fault, Fault::Cancelled);
    EXPECT_EQ(outcome(R"("probe":{"status":200,"error":{"kind":"unreachable"}})").status,
              std::nullopt);
}

TEST_F(ReplayEvents, APolicyIsKeptAsText) {
    const auto event = whole(R"({"at":"2026-09-28T10:00:00Z","policy":{"probe":null}})");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->action, ReplayAction::Policy);
    EXPECT_EQ(event->policies, R"({"probe":null})");
}

TEST_F(ReplayEvents, WhatIsWrongIsNamedWithFieldValueAndRule) {
    EXPECT_EQ(error(R"("poll":{"status":42})"),
              "poll.status: 42 must be an integer from 100 to 999");
    EXPECT_EQ(error(R"("probe":{"status":"200"})"),
              "probe.status: \"200\" must be an integer from 100 to 999");
    EXPECT_EQ(error(R"("poll":{})"),
              "poll.status: is missing; it must be an integer from 100 to 999, unless there is an "
              "error");
    EXPECT_EQ(error(R"("poll":{"error":{"kind":"odd"}})"),
              "poll.error.kind: \"odd\" must be unreachable, refused, body, deadline or cancelled");
    EXPECT_EQ(error(R"("poll":{"error":7})"),
              "poll.error: 7 must be a string or an object with kind and text");
    EXPECT_EQ(error(R"("poll":{"status":200,"body":{}})"), "poll.body: {} must be a string");
    EXPECT_EQ(error(R"("poll":[])"), "poll: [] must be an object with status or error");
    EXPECT_EQ(error(R"("read":1)"), "read: 1 must be true");
    EXPECT_EQ(error(R"("service":1,"read":true)"), "service: 1 must be a string");
    EXPECT_EQ(error(R"("forgotten":false)"), "forgotten: false must be true");
    EXPECT_EQ(error(R"("declared":{})"),
              "service: is missing; it must be the service that is declared");
    EXPECT_EQ(error(R"("x":1)"),
              "an event must have one of poll, probe, read, policy, declared and forgotten");
    EXPECT_EQ(error(R"("read":true,"policy":{})"),
              "policy: an event has only one of poll, probe, read, policy, declared and forgotten");
}

TEST_F(ReplayEvents, ALineMustBeAnObjectWithATimeAndAHome) {
    EXPECT_TRUE(whole("{").error().message.starts_with("not JSON: "));
    EXPECT_EQ(whole("[1]").error().message, "[1] must be an object");
    EXPECT_EQ(whole(R"({"home":"a","read":true})").error().message,
              "at: is missing; it must be an RFC 3339 time with zone");
    EXPECT_EQ(whole(R"({"at":"today","home":"a","read":true})").error().message,
              "at: \"today\" must be an RFC 3339 time with zone");
    EXPECT_EQ(whole(R"({"at":"2026-09-28T10:00:00Z","read":true})").error().message,
              "home: is missing; it must be the name of the home");
}

constexpr std::string_view capacity =
    R"("capacity":{"path":"/c","method":"GET","format":"Report","samples":4,"quorum":3,)"
    R"("period":"100ms","timeout":"30ms","maxAge":"40s"})";

TEST(ReplayPolicies, AreTheBlocksOfADeclarationWithoutTheObserversLimits) {
    const auto policies = read_replay_policies("{" + std::string(capacity) + "}");
    ASSERT_TRUE(policies) << policies.error().message;
    EXPECT_EQ(policies->capacity->quorum, 3);
    EXPECT_EQ(policies->capacity->digest.size(), 71u);
    EXPECT_FALSE(policies->probe);
    EXPECT_FALSE(read_replay_policies(R"({"capacity":null})")->capacity);
}

TEST(ReplayPolicies, MembersThatAreNotKnownAreWarnings) {
    const auto policies = read_replay_policies(R"({"probe":null,"capcity":{},"homes":[]})");
    ASSERT_FALSE(policies);
    EXPECT_EQ(policies.error().message, "capcity is not known; did you mean capacity?");
}

TEST(ReplayPolicies, ABrokenRuleIsNamed) {
    std::string text = "{" + std::string(capacity) + "}";
    text.replace(text.find("\"quorum\":3"), 10, "\"quorum\":5");
    EXPECT_EQ(read_replay_policies(text).error().message,
              "capacity.quorum (5) must not exceed capacity.samples (4)");
    EXPECT_EQ(read_replay_policies("[]").error().message,
              "policies must be an object with capacity and probe");
    EXPECT_TRUE(read_replay_policies("{").error().message.starts_with("not JSON: "));
}

TEST(ReplayDeclaration, HoldsTheDigestsOfItsPoliciesAndWhoMoved) {
    const std::string digest = "sha256:" + std::string(64, '0');
    const auto read = read_replay_declaration(
        R"({"ownerUID":"1","homes":[{"cluster":"a","endpoint":"http://h"}],)" +
        std::string(capacity) + R"(,"digests":{"capacity":")" + digest + R"("},"moved":["a"]})");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->declaration.owner_uid, "1");
    EXPECT_EQ(read->declaration.capacity->quorum, 3);
    EXPECT_EQ(read->declaration.capacity->digest, digest);
    EXPECT_EQ(read->declaration.homes.at(0).cluster, "a");
    EXPECT_EQ(read->moved, std::vector<std::string>{"a"});
}

TEST(ReplayDeclaration, WhatIsWrongIsNamed) {
    EXPECT_EQ(read_replay_declaration("[]").error().message,
              "must be an object with homes, capacity and probe");
    EXPECT_TRUE(read_replay_declaration(R"({"homes":[],"moved":[1]})")
                    .error()
                    .message.starts_with("moved[0]: "));
    EXPECT_TRUE(read_replay_declaration(R"({"homes":[{"cluster":1}]})")
                    .error()
                    .message.starts_with("homes[0].cluster: "));
}

TEST(ReplayReader, TellsOnceOfEachMemberThatNoEventHas) {
    ReplayReader reader(100);
    const auto read = [&reader](std::string line) {
        line.append(ReplayReader::padding, ' ');
        return reader.read({line.data(), line.size() - ReplayReader::padding}).has_value();
    };
    EXPECT_FALSE(read(R"({"at":"2026-09-28T10:00:00Z","hoem":"a","read":true})"));
    const std::vector<std::string> told{"\"hoem\" is not known and is ignored; did you mean home?"};
    EXPECT_EQ(reader.take_strangers(), told);
    EXPECT_FALSE(read(R"({"at":"2026-09-28T10:00:00Z","hoem":"a","read":true})"));
    EXPECT_TRUE(read(R"({"at":"2026-09-28T10:00:00Z","home":"a","read":true})"));
    EXPECT_TRUE(reader.take_strangers().empty());
}

}  // namespace
}  // namespace ome::wire
