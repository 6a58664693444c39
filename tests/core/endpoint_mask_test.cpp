#include <ome/core/endpoint.hpp>
#include <ome/core/text.hpp>

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace ome::core {
namespace {

TEST(MaskUserinfo, LeavesTextWithoutUserinfoAlone) {
    for (const std::string_view text : {"",
                                        "connection refused",
                                        "http://h/a;b=c,d@e:f?x=y@z",
                                        "http://h:80/x@y refused",
                                        R"(Get "http://h:80/x@y:z": context deadline exceeded)",
                                        "mail somebody@example.com",
                                        "HTTP 503: somebody@example.com",
                                        "http://[fe80::1%25en0]:8080/x"}) {
        EXPECT_EQ(mask_userinfo(text), text);
    }
}

TEST(MaskUserinfo, ReplacesUserAndPasswordOfAUrl) {
    EXPECT_EQ(mask_userinfo("http://u:p@h/x@y"), "http://***@h/x@y");
    EXPECT_EQ(mask_userinfo("https://u@h"), "https://***@h");
    EXPECT_EQ(mask_userinfo("http://a@b:c@h?q=x@y"), "http://***@h?q=x@y");
    EXPECT_EQ(mask_userinfo("ftp://u:p@h"), "ftp://***@h");
}

TEST(MaskUserinfo, FindsUrlsInText) {
    EXPECT_EQ(mask_userinfo(R"(Get "http://u:p@h/c": EOF, again "https://v@g/": EOF)"),
              R"(Get "http://***@h/c": EOF, again "https://***@g/": EOF)");
    EXPECT_EQ(mask_userinfo("endpoint=http://u:p@h/ status=503"),
              "endpoint=http://***@h/ status=503");
    EXPECT_EQ(mask_userinfo("http://a/ then http://u:p@h/"), "http://a/ then http://***@h/");
    EXPECT_EQ(mask_userinfo("http://a,http://u:p@h/"), "http://a,http://***@h/");
    EXPECT_EQ(mask_userinfo("http://a/?next=http://u:p@h/"), "http://a/?next=http://***@h/");
}

TEST(MaskUserinfo, MasksMoreRatherThanLessWhenAUrlIsMalformed) {
    EXPECT_EQ(mask_userinfo("http://user:pa ss@h"), "http://***@h");
    EXPECT_EQ(mask_userinfo("http://user:p@s/s%zz@h"), "http://***@h");
    EXPECT_EQ(mask_userinfo("dial http://user:pa/ss@h: refused"), "dial http://***@h: refused");
    EXPECT_EQ(mask_userinfo("http://user:pa\nss@h"), "http://***@h");
    EXPECT_EQ(mask_userinfo(R"(parse "http://u:p\"a s@h/": bad)"), R"(parse "http://***@h/": bad)");
    EXPECT_EQ(mask_userinfo(R"(parse "http://u:p s@h/)"), R"(parse "http://***@h/)");
}

TEST(MaskUserinfo, KnowsUserAndPasswordWithoutAScheme) {
    EXPECT_EQ(mask_userinfo("user:password@h/x"), "***@h/x");
    EXPECT_EQ(mask_userinfo("user:pass word@h"), "***@h");
    EXPECT_EQ(mask_userinfo("//user:password@h/x"), "//***@h/x");
    EXPECT_EQ(mask_userinfo("http:/user:password@h"), "http:/***@h");
    EXPECT_EQ(mask_userinfo("user:a://b@h"), "***@h");
    EXPECT_EQ(mask_userinfo(R"(endpoint URL "user:password@h" is bad)"),
              R"(endpoint URL "***@h" is bad)");
}

TEST(MaskUserinfo, LooksAtALongTextOnlyOnce) {
    std::string text;
    while (text.size() < 1'000'000) {
        text += "http://a/ \"b:c\" ";
    }
    EXPECT_EQ(mask_userinfo(text), text);
    EXPECT_EQ(mask_userinfo(text + "user:password@h"), "http://***@h");
}

// Whatever stands between a scheme and the last `@` of an endpoint, a secret in it never shows.
TEST(MaskUserinfo, HidesASecretInAnyUnusableEndpoint) {
    constexpr std::array<std::string_view, 20> noise{":",      "@",  "/",  "?",   "#", "%",  "%zz",
                                                     " ",      "\"", "\\", "[",   "]", "\n", "\x7f",
                                                     "\u00e9", "u",  "0",  "://", "'", "<"};
    std::mt19937 random(4);
    int hidden = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string endpoint = "http://user:";
        for (int part = 0; part < 5; ++part) {
            endpoint += part == 2 ? "SECRET" : noise[random() % noise.size()];
        }
        endpoint += "@h";
        const auto canonical = canonicalize(endpoint);
        if (canonical && canonical->userinfo.find("SECRET") == std::string::npos) {
            continue;  // a usable URL that is no secret's: `http://user:/SECRET@h`
        }
        ++hidden;
        const std::string masked = mask_userinfo(endpoint);
        ASSERT_EQ(masked.find("SECRET"), std::string::npos) << endpoint;
        ASSERT_EQ(mask_userinfo(masked), masked) << endpoint;
        ASSERT_EQ(mask_userinfo("Get " + go_quote(endpoint) + ": EOF").find("SECRET"),
                  std::string::npos)
            << endpoint;
        if (!canonical) {
            ASSERT_EQ(canonical.error().message.find("SECRET"), std::string::npos) << endpoint;
        }
    }
    EXPECT_GT(hidden, 10'000);
}

TEST(MaskUserinfo, LeavesTheRestOfAUsableUrlAlone) {
    const std::string text = "https://user:pw@host:8443/x?y=z /capacity@here";
    EXPECT_EQ(mask_userinfo(text), "https://***@host:8443/x?y=z /capacity@here");
    EXPECT_EQ(mask_userinfo(mask_userinfo(text)), mask_userinfo(text));
}

}  // namespace
}  // namespace ome::core
