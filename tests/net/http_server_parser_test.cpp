#include "net/http_server_parser.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ome::net {
namespace {

const std::string request =
    "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
    "chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: t\r\n\r\n";

// Gives the bytes as a connection does that reads `step` bytes at a time.
std::string body_of(RequestParser& parser, const std::string& bytes, std::size_t step) {
    std::string input;
    std::string body;
    std::size_t given = 0;
    while (!parser.done() && !parser.fault()) {
        const std::size_t used = input.empty() ? 0 : parser.feed(input);
        input.erase(0, used);
        body += parser.take_body();
        if (used == 0) {
            if (given == bytes.size()) {
                break;
            }
            input += bytes.substr(given, step);
            given = std::min(given + step, bytes.size());
        }
    }
    return body;
}

TEST(RequestParser, GivesTheSameWhateverTheReads) {
    for (std::size_t step = 1; step <= request.size(); ++step) {
        RequestParser parser(1000, 1000);
        EXPECT_EQ(body_of(parser, request, step), "abcde") << step;
        EXPECT_TRUE(parser.done()) << step;
        EXPECT_EQ(parser.head().headers.size(), 2U) << step;  // the trailer is none of them
    }
}

TEST(RequestParser, TakesAnEmptyBodyWhateverTheReads) {
    const std::string chunked = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string end : {"0\r\n\r\n", "00\r\n\r\n", "0;x\r\n\r\n", "0\r\nT: t\r\n\r\n"}) {
        for (std::size_t step = 1; step <= chunked.size() + end.size(); ++step) {
            RequestParser parser(1000, 1000);
            EXPECT_EQ(body_of(parser, chunked + end, step), "") << step;
            EXPECT_TRUE(parser.done()) << step << end;
        }
    }
}

TEST(RequestParser, IsNeverDoneWithAPrefix) {
    for (std::size_t length = 0; length < request.size(); ++length) {
        RequestParser parser(1000, 1000);
        std::ignore = body_of(parser, request.substr(0, length), 16384);
        EXPECT_FALSE(parser.done()) << length;
        EXPECT_FALSE(parser.fault()) << length;
    }
}

TEST(RequestParser, TouchesNothingBehindTheHeadAtFirst) {
    RequestParser parser(1000, 1000);
    const std::size_t head = request.find("\r\n\r\n") + 4;
    EXPECT_EQ(parser.feed(request), head);
    EXPECT_TRUE(parser.head_complete());
    EXPECT_EQ(parser.take_body(), "");
}

TEST(RequestParser, LeavesTheNextRequestAlone) {
    RequestParser parser(1000, 1000);
    const std::string two = "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b";
    EXPECT_EQ(parser.feed(two), two.size() - 6);
    EXPECT_TRUE(parser.done());
}

TEST(RequestParser, CountsChunksAgainstTheLimit) {
    RequestParser exact(1000, 5);
    EXPECT_EQ(body_of(exact, request, 16384), "abcde");
    RequestParser less(1000, 4);
    std::ignore = body_of(less, request, 16384);
    ASSERT_TRUE(less.fault());
    EXPECT_EQ(less.fault()->status, 413U);
}

TEST(RequestParser, BoundsWhatComesAroundABody) {
    const std::string head = request.substr(0, request.find("\r\n\r\n") + 4);
    const auto repeated = [&](const std::string& chunk, int times) {
        std::string bytes = head;
        while (times-- > 0) {
            bytes += chunk;
        }
        RequestParser parser(1000, 10'000);
        std::ignore = body_of(parser, bytes + "0\r\n\r\n", 16384);
        return parser.fault() ? parser.fault()->status : parser.done() ? 0U : 1U;
    };
    EXPECT_EQ(repeated("1;" + std::string(800, 'x') + "\r\nb\r\n", 1), 0U);
    EXPECT_EQ(repeated("1;" + std::string(800, 'x') + "\r\nb\r\n", 2), 431U);
    EXPECT_EQ(repeated(std::string(800, '0') + "1\r\nb\r\n", 2), 431U);
    EXPECT_EQ(repeated("0000000000000001\r\nb\r\n", 10'000), 0U);
}

TEST(RequestParser, QuotesWhatItRefuses) {
    RequestParser parser(1000, 1000);
    std::ignore = parser.feed("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: a\tb" +
                              std::string(200, 'c') + "\r\n\r\n");
    ASSERT_TRUE(parser.fault());
    EXPECT_EQ(parser.fault()->status, 501U);
    EXPECT_TRUE(parser.fault()->message.starts_with(R"(transfer coding "a\tbccc)"))
        << parser.fault()->message;
    EXPECT_LT(parser.fault()->message.size(), 150U);
}

TEST(RequestParser, TellsABareLineFeedFromAnotherVersion) {
    const auto fault_of = [](const std::string& bytes) {
        RequestParser parser(1000, 1000);
        std::ignore = body_of(parser, bytes, 16384);
        return parser.fault() ? parser.fault()->message : "none";
    };
    EXPECT_EQ(fault_of("GET / HTTP/1.1\nHost: h\n\n"),
              "malformed request: lines must end with CR LF");
    EXPECT_EQ(fault_of("GET / HTTP/2.0\r\nHost: h\r\n\r\n"),
              "only HTTP/1.0 and HTTP/1.1 are spoken here");
}

TEST(RequestParser, SurvivesAnyBytes) {
    std::mt19937 random(11);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = request;
        for (int change = 0; change < 3; ++change) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        RequestParser parser(200, 100);
        EXPECT_LE(body_of(parser, bytes, 1 + random() % 64).size(), 100U);
    }
}

}  // namespace
}  // namespace ome::net
