#include "reply.hpp"

#include "broken_answers.hpp"

#include <gtest/gtest.h>

namespace ome::homesim {
namespace {

using namespace std::chrono_literals;

constexpr core::WallTime now{1'796'083'200, 250'000'000};

TEST(Reply, StampsAReportWithTheTimeAndItsAge) {
    Step step;
    step.report = 3;
    EXPECT_TRUE(
        make_reply(step, {}, now)
            .bytes.ends_with(R"({"servable":3,"observedAt":"2026-12-01T00:00:00.250000Z"})"));
    step.age = 500ms;
    EXPECT_TRUE(
        make_reply(step, {}, now)
            .bytes.ends_with(R"({"servable":3,"observedAt":"2026-11-30T23:59:59.750000Z"})"));
}

TEST(Reply, FramesTheBodyAsTold) {
    Step step;
    step.body = "hello";
    EXPECT_TRUE(make_reply(step, {}, now).bytes.ends_with("Content-Length: 5\r\n\r\nhello"));
    step.framing = Framing::Chunked;
    EXPECT_TRUE(make_reply(step, {}, now).bytes.ends_with("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
    step.framing = Framing::Close;
    EXPECT_TRUE(make_reply(step, {}, now).bytes.ends_with("Connection: close\r\n\r\nhello"));
    EXPECT_TRUE(make_reply(step, {}, now).close);
}

TEST(Reply, SendsNoBodyToAHeadRequestOrWithA204) {
    Step step;
    step.body = "hello";
    EXPECT_TRUE(make_reply(step, {.head_only = true}, now).bytes.ends_with("\r\n\r\n"));
    step.status = 204;
    EXPECT_EQ(make_reply(step, {}, now).bytes, "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST(Reply, StopsWhereItIsToldTo) {
    Step step;
    step.body = "hello";
    const std::string whole = make_reply(step, {}, now).bytes;
    const std::size_t head = whole.size() - 5;
    const auto sent = [&](Stall where) {
        step.stall = where;
        const Reply reply = make_reply(step, {}, now);
        EXPECT_TRUE(reply.stall);
        EXPECT_TRUE(whole.starts_with(reply.bytes));
        return reply.bytes.size();
    };
    EXPECT_EQ(sent(Stall::BeforeHead), 0U);
    EXPECT_LT(sent(Stall::InHead), head);
    EXPECT_EQ(sent(Stall::AfterHead), head);
    EXPECT_GT(sent(Stall::InBody), head);
    EXPECT_LT(sent(Stall::InBody), whole.size());
}

TEST(Reply, IsCutWhereItIsToldTo) {
    Step step;
    step.body = "hello";
    const std::string whole = make_reply(step, {}, now).bytes;
    step.ending = Ending::Reset;
    EXPECT_EQ(make_reply(step, {}, now).bytes, "");
    step.cut = Stall::AfterHead;
    const Reply reply = make_reply(step, {}, now);
    EXPECT_EQ(reply.bytes, whole.substr(0, whole.size() - 5));
    EXPECT_EQ(reply.ending, Ending::Reset);
    EXPECT_FALSE(reply.stall);
}

TEST(Reply, DripsTheHeadOnlyWhenToldTo) {
    Step step;
    step.body = "hello";
    step.drip = 1ms;
    EXPECT_EQ(make_reply(step, {}, now).steady, make_reply(step, {}, now).bytes.size() - 5);
    step.drip_head = true;
    EXPECT_EQ(make_reply(step, {}, now).steady, 0U);
}

TEST(Reply, TellsTheTimeOfASkewedClock) {
    Step step;
    step.report = 3;
    step.skew = 1h;
    const std::string bytes = make_reply(step, {}, now).bytes;
    EXPECT_NE(bytes.find("\r\nDate: Tue, 01 Dec 2026 01:00:00 GMT\r\n"), std::string::npos);
    EXPECT_TRUE(bytes.ends_with(R"("observedAt":"2026-12-01T01:00:00.250000Z"})"));
}

TEST(Reply, MayBeNoProperHttp) {
    Step step;
    step.broken = find_broken("not-http");
    EXPECT_TRUE(make_reply(step, {}, now).bytes.starts_with("SSH-"));
    EXPECT_TRUE(make_reply(step, {}, now).close);
}

}  // namespace
}  // namespace ome::homesim
