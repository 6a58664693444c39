#include "net/http_server_target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::net {
namespace {

using testing::ElementsAre;

TEST(RequestTarget, IsTakenApartAndDecoded) {
    const auto place = parse_target("/v1/a%2Fb/%c3%A9+?x=1&y=a+b%26c&x=2&flag&=lost");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->path, "/v1/a%2Fb/%c3%A9+");
    EXPECT_THAT(place->segments, ElementsAre("v1", "a/b", "\xc3\xa9+"));
    EXPECT_EQ(place->query,
              (std::map<std::string, std::string>{{"flag", ""}, {"x", "2"}, {"y", "a b&c"}}));
    EXPECT_EQ(place->repeated, "x");
    EXPECT_EQ(parse_target("/?x=1&y=1")->repeated, "");
}

TEST(RequestTarget, KeepsEmptySegmentsButForATrailingSlash) {
    EXPECT_TRUE(parse_target("/")->segments.empty());
    EXPECT_THAT(parse_target("/a/")->segments, ElementsAre("a"));
    EXPECT_THAT(parse_target("//a")->segments, ElementsAre("", "a"));
}

TEST(RequestTarget, MayBeInAbsoluteFormOrAnAsterisk) {
    const auto place = parse_target("http://host:1/a?b=c");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->authority, "host:1");
    EXPECT_EQ(place->path, "/a");
    EXPECT_EQ(place->query.at("b"), "c");
    EXPECT_EQ(parse_target("http://host")->path, "/");
    EXPECT_EQ(parse_target("*")->path, "*");
}

TEST(RequestTarget, IsRefusedWhenMalformed) {
    for (const char* bad :
         {"", "a", "/%", "/%4", "/%4g", "/%00", "/?a=%", "host:80", "https://x/"}) {
        EXPECT_FALSE(parse_target(bad)) << bad;
    }
    EXPECT_FALSE(parse_target(std::string_view("/a\0b", 4)));
}

TEST(HostAllowed, KnowsTheAddressThatWasDialled) {
    EXPECT_TRUE(host_allowed("10.0.0.5:7461", "10.0.0.5", {}));
    EXPECT_FALSE(host_allowed("10.0.0.6:7461", "10.0.0.5", {}));
    EXPECT_FALSE(host_allowed("", "", {}));
    EXPECT_FALSE(host_allowed("[::1%25elsewhere]:7461", "", {}));
    EXPECT_FALSE(host_allowed("[::1%lo]", "", {}));
}

TEST(HostAllowed, TakesNothingButAPortBehindAName) {
    for (const char* good :
         {"localhost:", "localhost:7460", "[::1]", "[::1]:7460", "127.0.0.1:99999"}) {
        EXPECT_TRUE(host_allowed(good, "", {})) << good;
    }
    for (const char* bad : {"localhost:80@evil.example",
                            "localhost:x",
                            "localhost:80:80",
                            "[::1]evil.example",
                            "[::1].evil.example:80",
                            "[::1",
                            "[::1]x:80",
                            "[]"}) {
        EXPECT_FALSE(host_allowed(bad, "", {})) << bad;
    }
}

}  // namespace
}  // namespace ome::net
