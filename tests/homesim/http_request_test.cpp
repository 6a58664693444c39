#include "http_request.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ome::homesim {
namespace {

Parse parse(std::string_view text) {
    Request request;
    return parse_request(text, request);
}

TEST(HttpRequest, IsIncompleteUntilItsLastByte) {
    const std::string whole = "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_EQ(parse(whole.substr(0, size)), Parse::Incomplete) << size;
    }
    const std::string and_the_next = whole + "GET";
    Request request;
    ASSERT_EQ(parse_request(and_the_next, request), Parse::Complete);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/a");
    EXPECT_EQ(request.query, "b=c");
    EXPECT_EQ(request.body, "abc");
    EXPECT_EQ(request.bytes, whole.size());
    EXPECT_FALSE(request.close);
}

TEST(HttpRequest, KnowsWhoWantsTheConnectionClosed) {
    Request request;
    ASSERT_EQ(parse_request("GET / HTTP/1.1\r\nconnection: Close\r\n\r\n", request),
              Parse::Complete);
    EXPECT_TRUE(request.close);
    Request old;
    ASSERT_EQ(parse_request("GET / HTTP/1.0\r\n\r\n", old), Parse::Complete);
    EXPECT_TRUE(old.close);
}

TEST(HttpRequest, RefusesWhatItDoesNotUnderstand) {
    EXPECT_EQ(parse("\r\n\r\n"), Parse::Malformed);
    EXPECT_EQ(parse("GET\r\n\r\n"), Parse::Malformed);
    EXPECT_EQ(parse("GET nowhere HTTP/1.1\r\n\r\n"), Parse::Malformed);
    EXPECT_EQ(parse("GET / SSH-2\r\n\r\n"), Parse::Malformed);
    EXPECT_EQ(parse("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), Parse::Malformed);
    EXPECT_EQ(parse("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), Parse::Malformed);
    EXPECT_EQ(parse("GET / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n"), Parse::Malformed);
}

TEST(HttpRequest, BoundsTheHead) {
    EXPECT_EQ(parse(std::string(most_head_bytes, 'a')), Parse::Incomplete);
    EXPECT_EQ(parse(std::string(most_head_bytes + 1, 'a')), Parse::Malformed);
}

TEST(HttpRequest, FindsTheHomeInThePath) {
    std::string_view home;
    std::string_view rest;
    ASSERT_TRUE(split_home_path("/h/worker-a/v1/models", home, rest));
    EXPECT_EQ(home, "worker-a");
    EXPECT_EQ(rest, "/v1/models");
    ASSERT_TRUE(split_home_path("/h/worker-a", home, rest));
    EXPECT_EQ(rest, "");
    EXPECT_FALSE(split_home_path("/h//x", home, rest));
    EXPECT_FALSE(split_home_path("/x/worker-a", home, rest));
}

TEST(HttpRequest, ReadsTheParametersOfAQuery) {
    const auto parameters = query_parameters("a=1&&per%63ent=3%30&b");
    ASSERT_EQ(parameters.size(), 3U);
    EXPECT_EQ(parameters[1].name, "percent");
    EXPECT_EQ(parameters[1].value, "30");
    EXPECT_EQ(parameters[2].name, "b");
    EXPECT_EQ(parameters[2].value, "");
    EXPECT_TRUE(query_parameters("").empty());
}

}  // namespace
}  // namespace ome::homesim
