#include "../../src/net/response_head.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

ResponseHead head_of(std::string_view text, bool head_request = false) {
    std::size_t searched = 0;
    EXPECT_EQ(head_size(text, searched), text.size());
    return parse_head(text, head_request).value();
}

std::string problem_of(std::string_view text) {
    const core::Result<ResponseHead> head = parse_head(text, false);
    return head ? "no problem" : head.error().message;
}

std::string with(const std::string& headers) {
    return "HTTP/1.1 200 OK\r\n" + headers + "\r\n\r\n";
}

std::int32_t status_of(const std::string& line) {
    return head_of(line + "\r\n\r\n").status;
}

TEST(ResponseHead, ReadsStatusLinesThatHomesSend) {
    EXPECT_EQ(status_of("HTTP/1.1 200 OK"), 200);
    EXPECT_EQ(status_of("HTTP/1.1 200 "), 200);
    EXPECT_EQ(status_of("HTTP/1.1 200"), 200);
    EXPECT_EQ(status_of("HTTP/1.0 404 Not Found"), 404);
    EXPECT_EQ(status_of("HTTP/1.2 200 OK"), 200);
    EXPECT_EQ(status_of("HTTP/1.1  200 OK"), 200);
    EXPECT_EQ(status_of("HTTP/1.1 200 \xc3\xa9t\xc3\xa9"), 200);
}

TEST(ResponseHead, AStatusHasThreeDigitsFrom100To999) {
    EXPECT_EQ(status_of("HTTP/1.1 100 X"), 100);
    EXPECT_EQ(status_of("HTTP/1.1 999 X"), 999);
    for (const char* code : {"099", "000", "20", "2000", "abc", "-200", "+20", "2 0", ""}) {
        EXPECT_EQ(problem_of("HTTP/1.1 " + std::string(code) + " X\r\n\r\n").find("malformed"), 0U)
            << code;
    }
}

TEST(ResponseHead, F15_RefusesWhatIsNotHttp) {
    for (const char* line : {"SSH-2.0-OpenSSH_9.9",
                             "220 mail ESMTP",
                             "HTP/1.1 200 OK",
                             "200 OK",
                             "HTTP/2.0 200 OK",
                             "ICY 200 OK",
                             " HTTP/1.1 200 OK",
                             "http/1.1 200 ok",
                             "HTTP/1.1\t200\tOK",
                             "\x15\x03\x01"}) {
        EXPECT_EQ(
            problem_of(std::string(line) + "\r\n\r\n").find("malformed response: status line"), 0U)
            << line;
    }
}

TEST(ResponseHead, TellsEarlyThatTheFirstBytesAreNoResponse) {
    EXPECT_TRUE(may_be_response(""));
    EXPECT_TRUE(may_be_response("HTT"));
    EXPECT_TRUE(may_be_response("HTTP/1.1 2"));
    EXPECT_FALSE(may_be_response("S"));
    EXPECT_FALSE(may_be_response("HTTP/2"));
}

TEST(ResponseHead, QuotesWithoutControlCharactersAndNotForEver) {
    const std::string problem = problem_of("\x01\"" + std::string(1000, 'x') + "\r\n\r\n");
    EXPECT_EQ(problem.find("malformed response: status line \"\\x01\\x22xxx"), 0U);
    EXPECT_LT(problem.size(), 120U);
}

TEST(ResponseHead, F14_ReadsHeadersInAnyCaseFoldedEmptyAndEightBit) {
    EXPECT_EQ(head_of(with("content-length:12")).length, 12U);
    EXPECT_EQ(head_of(with("CONTENT-LENGTH:   12  ")).length, 12U);
    EXPECT_EQ(head_of(with("X-Folded: one\r\n two\r\n\tthree\r\nContent-Length: 12")).length, 12U);
    EXPECT_EQ(head_of(with("Content-Length:\r\n 12")).length, 12U);
    EXPECT_EQ(head_of(with("X-Empty:\r\nContent-Length: 12")).length, 12U);
    EXPECT_EQ(head_of(with("X-Eight: \xe9\xff\r\nContent-Length: 12")).length, 12U);
}

TEST(ResponseHead, TakesBareLineFeeds) {
    EXPECT_EQ(head_of("HTTP/1.1 200 OK\nContent-Length: 12\n\n").length, 12U);
}

TEST(ResponseHead, RefusesMalformedHeaders) {
    for (const char* header :
         {"this line has none", "Content-Length : 4", "; odd: 1", ": value", ", 48", "X Y: 1"}) {
        EXPECT_EQ(problem_of(with(header)).find("malformed response: header"), 0U) << header;
    }
    EXPECT_EQ(problem_of(with(std::string("X-Nul: a\0b", 10))).find("malformed"), 0U);
    EXPECT_EQ(problem_of(with(" folded: first")).find("malformed"), 0U);
}

TEST(ResponseHead, NamesAMalformedHeaderWithoutItsValueWhichMayDifferEachTime) {
    const std::string problem = problem_of(with("X-Trace : 8f3a"));
    EXPECT_EQ(problem, "malformed response: header \"X-Trace :\"");
    EXPECT_EQ(problem_of(with("X-Trace : 0000")), problem);
    EXPECT_EQ(problem_of(with("no colon")), "malformed response: header \"no colon\"");
}

TEST(ResponseHead, RefusesLengthsThatAreNotOnePlainNumber) {
    for (const char* value : {"-5",
                              "+5",
                              "0x5",
                              "",
                              "4 2",
                              "4, 5",
                              "5, 5",
                              "18446744073709551616",
                              "9223372036854775808"}) {
        EXPECT_EQ(problem_of(with("Content-Length: " + std::string(value)))
                      .find("malformed response: Content-Length"),
                  0U)
            << value;
    }
    EXPECT_EQ(problem_of(with("Content-Length: 5\r\nContent-Length: 6")),
              "malformed response: two different Content-Lengths");
    EXPECT_EQ(head_of(with("Content-Length: 5\r\nContent-Length: 5")).length, 5U);
    EXPECT_EQ(head_of(with("Content-Length: 9223372036854775807")).length, 9223372036854775807U);
}

TEST(ResponseHead, TakesOnlyChunkedAsTransferEncodingAndOnlyWithoutALength) {
    EXPECT_EQ(head_of(with("transfer-encoding: CHUNKED")).framing, Framing::Chunked);
    EXPECT_EQ(problem_of(with("Transfer-Encoding: gzip, chunked")),
              "unsupported Transfer-Encoding \"gzip, chunked\"");
    EXPECT_EQ(problem_of(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")),
              "malformed response: two Transfer-Encodings");
    EXPECT_EQ(problem_of(with("Transfer-Encoding: chunked\r\nContent-Length: 5")),
              "malformed response: both Content-Length and Transfer-Encoding are given");
}

TEST(ResponseHead, Http10KnowsNoTransferEncoding) {
    const ResponseHead head =
        head_of("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(head.framing, Framing::UntilClose);
    EXPECT_FALSE(head.keep_alive);
}

TEST(ResponseHead, F09_F10_SomeResponsesNeverHaveABody) {
    EXPECT_EQ(head_of(with("Content-Length: 100"), true).framing, Framing::None);
    EXPECT_EQ(head_of(with("Transfer-Encoding: chunked"), true).framing, Framing::None);
    for (const char* code : {"204", "304", "103", "101"}) {
        const std::string line = "HTTP/1.1 " + std::string(code) + " X\r\n";
        EXPECT_EQ(head_of(line + "Content-Length: 9\r\n\r\n").framing, Framing::None) << code;
        EXPECT_EQ(head_of(line + "Transfer-Encoding: chunked\r\n\r\n").framing, Framing::None);
    }
    EXPECT_EQ(head_of("HTTP/1.1 205 X\r\nContent-Length: 0\r\n\r\n").framing, Framing::Length);
}

TEST(ResponseHead, F07_Only101OfTheInterimStatusesIsFinal) {
    EXPECT_TRUE(head_of("HTTP/1.1 100 Continue\r\n\r\n").interim());
    EXPECT_FALSE(head_of("HTTP/1.1 101 Switching Protocols\r\n\r\n").interim());
    EXPECT_TRUE(head_of("HTTP/1.1 103 Early Hints\r\n\r\n").interim());
    EXPECT_FALSE(head_of("HTTP/1.1 101 Switching Protocols\r\n\r\n").keep_alive);
}

TEST(ResponseHead, KnowsWhenThePeerMeansToGoOn) {
    EXPECT_TRUE(head_of(with("Content-Length: 0")).keep_alive);
    EXPECT_FALSE(head_of(with("X: y")).keep_alive) << "the body ends with the connection";
    EXPECT_FALSE(head_of(with("Content-Length: 0\r\nConnection: Close")).keep_alive);
    EXPECT_FALSE(head_of(with("Content-Length: 0\r\nConnection: te, close")).keep_alive);
    const std::string old = "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n";
    EXPECT_FALSE(head_of(old + "\r\n").keep_alive);
    EXPECT_TRUE(head_of(old + "Connection: Keep-Alive\r\n\r\n").keep_alive);
}

TEST(ResponseHead, ReadsWhatIsGoodToKnow) {
    const ResponseHead head =
        head_of(with("Keep-Alive: timeout=5, max=100\r\nContent-Encoding: gzip\r\n"
                     "Date: Sun, 06 Nov 1994 08:49:37 GMT"));
    EXPECT_EQ(head.idle_timeout, 5s);
    EXPECT_EQ(head.content_encoding, "gzip");
    EXPECT_EQ(head.date, (core::WallTime{784111777, 0}));
    EXPECT_EQ(head_of(with("Content-Encoding: identity")).content_encoding, "");
    EXPECT_EQ(head_of(with("Keep-Alive: timeout=x")).idle_timeout, std::nullopt);
}

TEST(ResponseHead, FindsTheEndWhereverTheBytesAreCut) {
    const std::string text = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
    std::size_t searched = 0;
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_EQ(head_size(std::string_view(text).substr(0, size), searched), std::nullopt)
            << size;
    }
    EXPECT_EQ(head_size(text + "body\r\n\r\n", searched), text.size());
}

TEST(ResponseHead, RandomBytesNeverPassForMoreThanTheyAre) {
    std::mt19937 random(1);  // NOLINT: a fixed seed, so that a failure can be had again
    const std::string valid = with("Content-Length: 5\r\nConnection: close\r\nX: y");
    for (int round = 0; round < 20000; ++round) {
        std::string text = valid;
        for (int change = 0; change < 3; ++change) {
            text[random() % (text.size() - 4)] = static_cast<char>(random());
        }
        std::size_t searched = 0;
        if (const auto size = head_size(text, searched)) {
            const auto head = parse_head(std::string_view(text).substr(0, *size), false);
            EXPECT_TRUE(!head || (head->status >= 100 && head->status <= 999));
        }
    }
}

}  // namespace
}  // namespace ome::net
