#include "reply.hpp"

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

}  // namespace
}  // namespace ome::homesim
