#include "record_line.hpp"

#include <ome/wire/replay_document.hpp>
#include <ome/wire/report.hpp>

#include <gtest/gtest.h>

namespace ome::observer {
namespace {

using core::Fault;

RecordedAttempt attempt(core::Kind kind, core::AttemptOutcome outcome) {
    RecordedAttempt one;
    one.at = {1'796'083'200, 250'000'001};
    one.kind = kind;
    one.service = {"team", "chat"};
    one.cluster = "worker-a";
    one.endpoint = "https://user:pw@home/x?key=abc";
    one.outcome = std::move(outcome);
    return one;
}

RecordedAttempt poll_of(const std::string& body) {
    RecordedAttempt one =
        attempt(core::Kind::Poll, {.status = 200, .report = wire::decode_report(body)});
    one.body_size = body.size();
    one.body = body.size() <= longest_recorded_body ? body : std::string();
    return one;
}

/// As replay reads it back.
core::AttemptOutcome replayed(const RecordedAttempt& one) {
    std::string line = record_line(one);
    EXPECT_TRUE(line.ends_with("}\n"));
    const std::size_t size = line.size() - 1;
    line.resize(size + wire::ReplayReader::padding);
    wire::ReplayReader reader(65536);
    const auto event = reader.read(std::string_view(line).substr(0, size));
    EXPECT_TRUE(event) << (event ? "" : event.error().message) << line;
    if (!event) {
        return {};
    }
    EXPECT_EQ(event->at, one.at);
    EXPECT_EQ(event->service, "team/chat");
    EXPECT_EQ(event->home, "worker-a");
    EXPECT_EQ(event->endpoint, "https://***@home/x?key=***");
    return event->outcome;
}

void expect_same(const RecordedAttempt& one) {
    const core::AttemptOutcome outcome = replayed(one);
    EXPECT_EQ(outcome.fault, one.outcome.fault);
    EXPECT_EQ(outcome.text, one.outcome.text);
    EXPECT_EQ(outcome.status, one.outcome.status);
    EXPECT_EQ(outcome.report, one.outcome.report);
}

TEST(RecordLine, ReplaysToTheSameOutcome) {
    expect_same(attempt(core::Kind::Probe, {.status = 503}));
    expect_same(attempt(core::Kind::Poll, {.status = 404}));
    expect_same(attempt(core::Kind::Probe, {.fault = Fault::Unreachable, .text = "EOF"}));
    expect_same(attempt(core::Kind::Poll, {.fault = Fault::Refused, .text = "refused by policy"}));
    for (const Fault fault : {Fault::Body, Fault::Deadline}) {
        expect_same(attempt(core::Kind::Poll,
                            {.fault = fault, .text = "context deadline exceeded", .status = 200}));
    }
    expect_same(poll_of(R"({"servable":3,"observedAt":"2026-12-01T00:00:00.123456789Z"})"));
    expect_same(poll_of("<html>\n"));
    expect_same(poll_of(""));
}

TEST(RecordLine, ReplaysTheSameWithoutABodyThatIsNotShown) {
    const std::string filler(2000, ' ');
    expect_same(
        poll_of(R"({"servable":3,"observedAt":"2026-12-01T00:00:00.123456789Z")" + filler + "}"));
    expect_same(poll_of("{" + filler));
    expect_same(poll_of("{\"servable\":\xff}"));
    EXPECT_EQ(record_line(poll_of("{" + filler)).find(filler), std::string::npos);
}

TEST(RecordLine, ShowsABodyUpToItsLimit) {
    const std::string body(longest_recorded_body, 'x');
    EXPECT_NE(record_line(poll_of(body)).find(body), std::string::npos);
    EXPECT_EQ(record_line(poll_of(body + "x")).find(body), std::string::npos);
}

TEST(RecordLine, HoldsNoSecret) {
    EXPECT_EQ(record_line(poll_of(R"({"url":"http://u:S3cret@h"})")).find("S3cret"),
              std::string::npos);
    EXPECT_EQ(record_line(attempt(core::Kind::Probe, {.status = 200})).find("pw"),
              std::string::npos);
}

TEST(RecordLine, TellsAStallThatCountedAsTheDeadlineItWas) {
    const auto outcome = replayed(attempt(core::Kind::Probe, {.fault = Fault::Stalled}));
    EXPECT_EQ(outcome.fault, Fault::Unreachable);
    EXPECT_EQ(outcome.text, "context deadline exceeded");
}

RecordedDeclaration declaration() {
    core::ServiceDeclaration one{{"team", "chat"}, "uid-1", false, {}, {}, {}};
    one.probe = core::ProbePolicy{.path = "/h?key=S3cret",
                                  .accept_statuses = {200},
                                  .gate_statuses = {503},
                                  .period = std::chrono::seconds(10),
                                  .timeout = std::chrono::seconds(3),
                                  .digest = "sha256:" + std::string(64, 'd')};
    core::RestoredProbe saved;
    saved.policy_digest = one.probe->digest;
    saved.gated = true;
    saved.message = "Get http://u:S3cret@h";
    one.homes.push_back({"a", "https://u:S3cret@home/x/?key=S3cret", saved});
    return {{1'796'083'200, 0}, one, {"a"}};
}

TEST(RecordLine, HoldsADeclarationWithoutItsSecretsAndWithItsDigests) {
    const std::string line = record_line(declaration());
    EXPECT_EQ(line.find("S3cret"), std::string::npos) << line;
    const std::string_view begin = R"({"at":"2026-12-01T00:00:00.000Z","service":"team/chat",)"
                                   R"("declared":)";
    ASSERT_TRUE(line.starts_with(begin)) << line;
    ASSERT_TRUE(line.ends_with("}\n"));
    const auto read = wire::read_replay_declaration(
        std::string_view(line).substr(begin.size(), line.size() - begin.size() - 2));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->declaration.owner_uid, "uid-1");
    EXPECT_EQ(read->declaration.probe->digest, declaration().declaration.probe->digest);
    EXPECT_EQ(read->declaration.homes.at(0).endpoint, "https://***@home/x/?key=***");
    EXPECT_TRUE(read->declaration.homes.at(0).restored->gated);
    EXPECT_EQ(read->moved, std::vector<std::string>{"a"});
}

TEST(RecordLine, TellsWhatWasForgotten) {
    const core::WallTime at{1'796'083'200, 0};
    EXPECT_EQ(record_line(RecordedForgetting{at, core::ServiceKey{"team", "chat"}}),
              R"({"at":"2026-12-01T00:00:00.000Z","service":"team/chat","forgotten":true})"
              "\n");
    EXPECT_EQ(record_line(RecordedForgetting{at, {}}),
              R"({"at":"2026-12-01T00:00:00.000Z","forgotten":true})"
              "\n");
}

}  // namespace
}  // namespace ome::observer
