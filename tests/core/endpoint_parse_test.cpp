#include "endpoint_parse.hpp"

#include <gtest/gtest.h>

namespace ome::core {
namespace {

ParsedUrl parsed(std::string_view text) {
    auto url = parse_url(text);
    EXPECT_TRUE(url) << text << ": " << (url ? "" : to_message(url.error()));
    return url ? *std::move(url) : ParsedUrl{};
}

std::string fault_of(std::string_view text) {
    const auto url = parse_url(text);
    return url ? "none" : to_message(url.error());
}

TEST(ParseUrl, TakesAUrlApart) {
    const ParsedUrl url = parsed("HTTPS://us%65r:p@Host.test:8443/a%2fb?q=1&r");
    EXPECT_EQ(url.scheme, "https");
    EXPECT_FALSE(url.opaque);
    EXPECT_EQ(url.userinfo, "user:p");
    EXPECT_EQ(url.host.name, "Host.test");
    EXPECT_TRUE(url.host.has_port);
    EXPECT_EQ(url.host.port, "8443");
    EXPECT_EQ(url.path, "/a%2fb");
    EXPECT_TRUE(url.has_query);
    EXPECT_EQ(url.query, "q=1&r");
}

TEST(ParseUrl, TellsWhatIsAbsentFromWhatIsEmpty) {
    const ParsedUrl bare = parsed("http://h");
    EXPECT_FALSE(bare.has_query);
    EXPECT_FALSE(bare.userinfo);
    EXPECT_FALSE(bare.host.has_port);
    EXPECT_EQ(bare.path, "");
    const ParsedUrl marked = parsed("http://@h:?");
    EXPECT_TRUE(marked.has_query);
    EXPECT_EQ(marked.userinfo, "");
    EXPECT_TRUE(marked.host.has_port);
    EXPECT_EQ(marked.host.port, "");
}

TEST(ParseUrl, KnowsReferencesAndOpaqueUrls) {
    EXPECT_EQ(parsed("a/b").scheme, "");
    EXPECT_TRUE(parsed("a/b").host.empty());
    EXPECT_EQ(parsed("//h/p").host.name, "h");
    EXPECT_TRUE(parsed("mailto:x").opaque);
}

TEST(ParseUrl, TakesBracketsAndAZoneApart) {
    const ParsedUrl url = parsed("http://[fe80::1%25eth0]:80/");
    EXPECT_TRUE(url.host.bracketed);
    EXPECT_EQ(url.host.name, "fe80::1");
    EXPECT_EQ(url.host.zone, "eth0");
    EXPECT_EQ(url.host.port, "80");
}

TEST(ParseUrl, KnowsAHostThatIsNotAscii) {
    EXPECT_TRUE(parsed("http://h.test/").host.is_ascii());
    EXPECT_FALSE(parsed("http://h\u00e9/").host.is_ascii());
    EXPECT_FALSE(parsed("http://h%c3%a9/").host.is_ascii());
}

TEST(ParseUrl, PointsToThePieceThatIsAtFault) {
    EXPECT_EQ(fault_of("http://h:8a/"), R"(invalid port ":8a" after host)");
    EXPECT_EQ(fault_of("://x"), "missing protocol scheme");
    const std::string_view text = "http://h/%zz";
    const auto url = parse_url(text);
    ASSERT_FALSE(url);
    EXPECT_EQ(url.error().piece, "%zz");
    EXPECT_EQ(url.error().piece.data(), text.data() + 9) << "a view of the text";
}

}  // namespace
}  // namespace ome::core
