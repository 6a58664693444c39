#include <ome/net/listen_address.hpp>

#include <gtest/gtest.h>

namespace ome::net {
namespace {

TEST(ListenAddress, IsReadAndWrittenAlike) {
    for (const char* text : {"127.0.0.1:7460", "0.0.0.0:0", "[::1]:65535", "unix:/run/x.sock"}) {
        EXPECT_EQ(to_string(parse_listen_address(text).value()), text);
    }
    EXPECT_EQ(to_string(parse_listen_address("localhost:1").value()), "127.0.0.1:1");
}

TEST(ListenAddress, KnowsWhatNobodyElseReaches) {
    for (const char* text : {"127.0.0.1:1", "127.255.255.254:1", "[::1]:1", "unix:/x"}) {
        EXPECT_TRUE(parse_listen_address(text)->is_local()) << text;
    }
    for (const char* text : {"0.0.0.0:1", "128.0.0.1:1", "[::]:1", "[::2]:1"}) {
        EXPECT_FALSE(parse_listen_address(text)->is_local()) << text;
    }
    EXPECT_FALSE(is_loopback_literal("localhost"));
}

TEST(ListenAddress, HoldsTheLengthOfASocketPath) {
    EXPECT_TRUE(parse_listen_address("unix:/" + std::string(106, 'x')));
    const auto longer = parse_listen_address("unix:/" + std::string(107, 'x'));
    ASSERT_FALSE(longer);
    EXPECT_NE(longer.error().message.find("longer than 107 bytes"), std::string::npos);
}

}  // namespace
}  // namespace ome::net
