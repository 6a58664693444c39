#include "net/http_server_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::net {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t at = 1'796'032'800;

AnswerShape shape(Framing framing, std::size_t length, bool keep_alive) {
    AnswerShape result;
    result.framing = framing;
    result.length = length;
    result.keep_alive = keep_alive;
    return result;
}

TEST(AnswerHead, IsComplete) {
    ServerResponse response;
    response.status = 429;
    response.content_type = "application/json";
    response.headers = {{"Retry-After", "3"}};
    EXPECT_EQ(answer_head(response, shape(Framing::Length, 12, true), at),
              "HTTP/1.1 429 Too Many Requests\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\n"
              "Content-Type: application/json\r\nRetry-After: 3\r\nContent-Length: 12\r\n\r\n");
}

TEST(AnswerHead, SaysHowTheBodyEnds) {
    const ServerResponse response;
    EXPECT_THAT(answer_head(response, shape(Framing::Chunked, 0, true), at),
                HasSubstr("Transfer-Encoding: chunked\r\n"));
    EXPECT_THAT(answer_head(response, shape(Framing::None, 0, true), at),
                Not(HasSubstr("Content-Length")));
    EXPECT_THAT(answer_head(response, shape(Framing::ToClose, 0, false), at),
                HasSubstr("Connection: close\r\n"));
}

TEST(AnswerHead, LetsNoValueStartAHeaderOfItsOwn) {
    ServerResponse response;
    response.headers = {{"X", "a\r\nSet-Cookie: b\x7f"}};
    EXPECT_THAT(answer_head(response, shape(Framing::Length, 0, true), at),
                HasSubstr("\r\nX: a  Set-Cookie: b \r\n"));
}

TEST(HttpDate, KnowsLeapDaysAndTheEpoch) {
    EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    EXPECT_EQ(http_date(1'709'210'096), "Thu, 29 Feb 2024 12:34:56 GMT");
}

TEST(ChunkHead, IsHexadecimal) {
    EXPECT_EQ(chunk_head(26), "1a\r\n");
}

}  // namespace
}  // namespace ome::net
