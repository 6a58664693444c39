#include <ome/core/endpoint.hpp>

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace ome::core {
namespace {

std::string canonical(std::string_view url) {
    const auto endpoint = canonicalize(url);
    return endpoint ? endpoint->canonical : "error: " + endpoint.error().message;
}

std::string refusal(std::string_view url) {
    const auto endpoint = canonicalize(url);
    return endpoint ? "accepted as " + endpoint->canonical : endpoint.error().message;
}

RequestTarget target(std::string_view url, std::string_view path) {
    const auto endpoint = canonicalize(url);
    EXPECT_TRUE(endpoint) << url;
    const auto joined = join(*endpoint, path);
    EXPECT_TRUE(joined) << url << " + " << path;
    return *joined;
}

TEST(Canonicalize, LowersSchemeAndHostAndNothingElse) {
    EXPECT_EQ(canonical("HTTP://User:Pass@Host:80/Path?Query"),
              "http://User:Pass@host:80/Path?Query");
    EXPECT_EQ(canonical("http://[FE80::A%25EN0]/"), "http://[fe80::a%25en0]");
}

TEST(Canonicalize, CleansThePathOnItsEscapedText) {
    EXPECT_EQ(canonical("http://h//a///b/./c//"), "http://h/a/b/c");
    EXPECT_EQ(canonical("http://h/a/../../b/.."), "http://h");
    EXPECT_EQ(canonical("http://h/a%2Fb/.."), "http://h");
    EXPECT_EQ(canonical("http://h/a/%2E%2E/b"), "http://h/a/%2E%2E/b");
    EXPECT_EQ(canonical("http://h/..."), "http://h/...");
    EXPECT_EQ(canonical("http://h/"), "http://h");
}

TEST(Canonicalize, KeepsAValidSpellingOfThePath) {
    EXPECT_EQ(canonical("http://h/a%2fb%2Fc%41"), "http://h/a%2fb%2Fc%41");
    EXPECT_EQ(canonical("http://h/;=,@:!$&'()*+[]~"), "http://h/;=,@:!$&'()*+[]~");
}

TEST(Canonicalize, SpellsAPathAnewThatHoldsWhatHasToBeEscaped) {
    EXPECT_EQ(canonical("http://h/a b\u00e9\"<>^`{|}\\"),
              "http://h/a%20b%C3%A9%22%3C%3E%5E%60%7B%7C%7D%5C");
    EXPECT_EQ(canonical("http://h/\xff"), "http://h/%FF");
    EXPECT_EQ(canonical("http://h/%41 b!"), "http://h/A%20b%21");
}

TEST(Canonicalize, KeepsTheQueryAndDropsTheFragment) {
    EXPECT_EQ(canonical("http://h/?b=2&a=1&A=%zz"), "http://h?b=2&a=1&A=%zz");
    EXPECT_EQ(canonical("http://h?"), "http://h?");
    EXPECT_EQ(canonical("http://h??"), "http://h??");
    EXPECT_EQ(canonical("http://h/x#"), "http://h/x");
    EXPECT_EQ(canonical("http://h/x#f?g"), "http://h/x");
    EXPECT_EQ(canonical("http://h?#f"), "http://h?");
}

TEST(Canonicalize, KeepsThePortAsWritten) {
    EXPECT_EQ(canonical("https://h:443"), "https://h:443");
    EXPECT_EQ(canonical("http://h:0080"), "http://h:0080");
    EXPECT_EQ(canonical("http://h:99999"), "http://h:99999");
    EXPECT_EQ(canonical("http://h:"), "http://h:");
    EXPECT_EQ(canonical("http://:8080/"), "http://:8080");
    EXPECT_EQ(canonical("http://[::1]:"), "http://[::1]:");
}

TEST(Canonicalize, SplitsUserinfoAtTheLastAtSign) {
    EXPECT_EQ(canonical("http://a@b:c@h/"), "http://a%40b:c@h");
    EXPECT_EQ(canonical("http://@h/"), "http://@h");
    EXPECT_EQ(canonical("http://u:@h/"), "http://u:@h");
    EXPECT_EQ(canonical("http://h/a@b"), "http://h/a@b");
    EXPECT_EQ(canonical("http://h?a@b"), "http://h?a@b");
    EXPECT_EQ(canonicalize("http://u:p%2f@h")->userinfo, "u:p%2F");
}

TEST(Canonicalize, TellsThePartsApart) {
    const auto endpoint = canonicalize("https://u:p@[FE80::1%25En0]:8443/A/?q");
    ASSERT_TRUE(endpoint);
    EXPECT_TRUE(endpoint->https);
    EXPECT_EQ(endpoint->userinfo, "u:p");
    EXPECT_EQ(endpoint->host, "[fe80::1%25en0]");
    EXPECT_EQ(endpoint->port, "8443");
    EXPECT_EQ(endpoint->path, "/A");
    EXPECT_EQ(endpoint->query, "q");
    EXPECT_TRUE(endpoint->has_query);
}

TEST(Canonicalize, WantsAnAbsoluteHttpUrl) {
    for (const std::string_view url : {"",
                                       "h",
                                       "/x",
                                       "//h/x",
                                       "http:",
                                       "http:x",
                                       "http:/x",
                                       "http://",
                                       "http:///x",
                                       "http://?q",
                                       "mailto:x",
                                       "*",
                                       "http"}) {
        EXPECT_EQ(refusal(url), "endpoint URL \"" + std::string(url) + "\" must be absolute");
    }
    EXPECT_EQ(refusal("FTP://H/x#f"), R"(endpoint URL "FTP://H/x#f" must use HTTP or HTTPS)");
    EXPECT_EQ(refusal("ftp://a:b:80/"), R"(endpoint URL "ftp://a:b:80/" must use HTTP or HTTPS)");
}

TEST(Canonicalize, WantsAnAsciiHost) {
    EXPECT_EQ(refusal("http://H\u00e9/"),
              "endpoint URL \"http://H\u00e9/\" must have an ASCII host");
    EXPECT_EQ(refusal("http://h%C3%A9/"),
              R"(endpoint URL "http://h%C3%A9/" must have an ASCII host)");
    EXPECT_EQ(refusal("http://\u212a/"), "endpoint URL \"http://\u212a/\" must have an ASCII host");
    EXPECT_EQ(refusal("http://[::1%25\u00e9]/"),
              "endpoint URL \"http://[::1%25\u00e9]/\" must have an ASCII host");
}

struct Malformed {
    std::string_view url;
    std::string_view cause;
};

TEST(Canonicalize, SaysWhyAUrlDoesNotParse) {
    for (const Malformed& one : {
             Malformed{"://x", "missing protocol scheme"},
             {" http://h/", "first path segment in URL cannot contain colon"},
             {"1http://h/", "first path segment in URL cannot contain colon"},
             {"a_b:c", "first path segment in URL cannot contain colon"},
             {"http://h:8a/", R"(invalid port ":8a" after host)"},
             {"http://::1/", R"(invalid port "::1" after host)"},
             {"http://h:80:80/", R"(invalid port ":80:80" after host)"},
             {"http://[::1]x/", R"(invalid port "x" after host)"},
             {"http://[::1", "missing ']' in host"},
             {"http://x[::1]/", "invalid IP-literal"},
             {"http://[1.2.3.4]/", R"(invalid host: "1.2.3.4" is not an IPv6 address)"},
             {"http://[h]/", R"(invalid host: "h" is not an IPv6 address)"},
             {"http://[::1%25]/", R"(invalid host: "::1%25" is not an IPv6 address)"},
             {"http://h /x", R"(invalid character " " in host name)"},
             {"http://h^/x", R"(invalid character "^" in host name)"},
             {"http://%41/", R"(invalid URL escape "%41")"},
             {"http://[::1%25%41%2f]/", R"(invalid URL escape "%2f")"},
             {"http://h/%zz", R"(invalid URL escape "%zz")"},
             {"http://h/%", R"(invalid URL escape "%")"},
             {"http://h/%4", R"(invalid URL escape "%4")"},
             {"http://h/%/abc", R"(invalid URL escape "%/a")"},
             {"x/%zz", R"(invalid URL escape "%zz")"},
         }) {
        EXPECT_EQ(refusal(one.url),
                  "parse endpoint URL: parse \"" + std::string(one.url) +
                      "\": " + std::string(one.cause));
    }
}

TEST(Canonicalize, RefusesControlCharactersAnywhere) {
    constexpr std::string_view cause = "net/url: invalid control character in URL";
    EXPECT_EQ(refusal("http://h\x01/"),
              R"(parse endpoint URL: parse "http://h\x01/": )" + std::string(cause));
    EXPECT_EQ(refusal("http://h/\x7f#f"),
              R"(parse endpoint URL: parse "http://h/\x7f": )" + std::string(cause));
    EXPECT_EQ(refusal("http://h/#\n"),
              R"(parse endpoint URL: parse "http://h/#\n": )" + std::string(cause));
    EXPECT_EQ(refusal(std::string_view("http://h/\0", 10)),
              R"(parse endpoint URL: parse "http://h/\x00": )" + std::string(cause));
}

TEST(Canonicalize, ShowsTheFragmentOnlyWhenItIsAtFault) {
    EXPECT_EQ(refusal("http://h/%zz#f"),
              R"(parse endpoint URL: parse "http://h/%zz": invalid URL escape "%zz")");
    EXPECT_EQ(refusal("http://h/#%zz"),
              R"(parse endpoint URL: parse "http://h/#%zz": invalid URL escape "%zz")");
}

TEST(Canonicalize, ChecksTheHostBeforeTheUserinfoAndThePathAfterBoth) {
    EXPECT_EQ(refusal("http://u \u00e9@h:x/%zz"),
              R"(parse endpoint URL: parse "http://***@h:x/%zz": invalid port ":x" after host)");
    EXPECT_EQ(refusal("http://u\u00e9@h/%zz"),
              R"(parse endpoint URL: parse "http://***@h/%zz": net/url: invalid userinfo)");
}

TEST(Canonicalize, NeverShowsAPassword) {
    for (const std::string_view url : {"http://user:secret@h/%zz",
                                       "http://user:secret@h:x",
                                       "http://user:se cret@h",
                                       "http://user:sec%72et%zz@h",
                                       "http://user:secret%@h",
                                       "http://user:secret/x@h",
                                       "http://user:12/secret%zz@h",
                                       "http://user:x?secret@h",
                                       "http://user:x#secret@h",
                                       "http://user:secret@x@h:y",
                                       "http://user:[secret@h",
                                       "http://user:secret\n@h",
                                       "http://user:se\"cret@h",
                                       "ftp://user:secret@h",
                                       "user:secret@h",
                                       "user:secret://x@h",
                                       "//user:secret@h",
                                       "http:user:secret@h",
                                       "http:/user:secret@h",
                                       "http:///user:secret@h",
                                       " http://user:secret@h",
                                       "http://user:secret@",
                                       "http://user:secret@h\u00e9/"}) {
        const std::string message = refusal(url);
        EXPECT_EQ(message.find("cret"), std::string::npos) << message;
        EXPECT_EQ(message.find("user:"), std::string::npos) << message;
        EXPECT_NE(message.find("***@"), std::string::npos) << message;
        EXPECT_EQ(message.find("accepted"), std::string::npos) << message;
    }
    EXPECT_EQ(refusal("http://user:p%zz@h"),
              R"(parse endpoint URL: parse "http://***@h": invalid URL escape "***")");
}

TEST(Canonicalize, KeepsItsMessagesShort) {
    for (const std::string& url : {"http://h:" + std::string(100'000, 'x'),
                                   "http://[" + std::string(100'000, 'x') + "]",
                                   "ftp://h/" + std::string(100'000, 'x'),
                                   "http://h/" + std::string(2'000, '\x01')}) {
        EXPECT_LT(refusal(url).size(), 4'000U) << url.substr(0, 10);
        EXPECT_NE(refusal(url).find("...\""), std::string::npos) << url.substr(0, 10);
    }
    const std::string path(1'000, 'x');
    EXPECT_EQ(refusal("ftp://h/" + path),
              "endpoint URL \"ftp://h/" + path + "\" must use HTTP or HTTPS");
}

// Random texts over what URLs are made of; some of them are accepted.
std::string random_url(std::mt19937& random) {
    constexpr std::array<std::string_view, 44> pieces{"http://",
                                                      "https://",
                                                      "HTTP://",
                                                      "h",
                                                      "H.example",
                                                      "/",
                                                      "//",
                                                      "/../",
                                                      "/.",
                                                      "a",
                                                      "B",
                                                      ":",
                                                      ":80",
                                                      "@",
                                                      "u:p@",
                                                      "?",
                                                      "#",
                                                      "%2F",
                                                      "%2f",
                                                      "%25",
                                                      "%zz",
                                                      "%C3%A9",
                                                      "%41",
                                                      " ",
                                                      "\u00e9",
                                                      "[",
                                                      "]",
                                                      "[::1]",
                                                      "[fe80::1%25e]",
                                                      "!",
                                                      "$",
                                                      "'",
                                                      "(",
                                                      "*",
                                                      "+",
                                                      ",",
                                                      ";",
                                                      "=",
                                                      "\"",
                                                      "<",
                                                      "~",
                                                      "\xff",
                                                      "^",
                                                      "\x7f"};
    std::string url = random() % 2 == 0 ? "http://" : "";
    for (auto length = random() % 9; length > 0; --length) {
        url += pieces[random() % pieces.size()];
    }
    return url;
}

TEST(Canonicalize, LeavesItsOwnOutputAlone) {
    std::mt19937 random(26);
    int accepted = 0;
    for (int i = 0; i < 30'000; ++i) {
        const std::string url = random_url(random);
        const auto once = canonicalize(url);
        if (!once) {
            continue;
        }
        ++accepted;
        ASSERT_EQ(canonical(once->canonical), once->canonical) << url;
        ASSERT_TRUE(join(*once, "/x")) << url;
    }
    EXPECT_GT(accepted, 3'000);
}

TEST(Join, AppendsThePathLexically) {
    EXPECT_EQ(target("https://h", "/capacity").url, "https://h/capacity");
    EXPECT_EQ(target("https://h/m/", "//a//b/").url, "https://h/m/a/b/");
    EXPECT_EQ(target("https://h/m", "/").url, "https://h/m/");
    EXPECT_EQ(target("https://h", "/").url, "https://h/");
    EXPECT_EQ(target("https://h/m", "/.").url, "https://h/m");
    EXPECT_EQ(target("https://h", "/.").url, "https://h");
    EXPECT_EQ(target("https://h/m", "/../x").url, "https://h/x");
    EXPECT_EQ(target("https://h/m", "/..").url, "https://h/");
    EXPECT_EQ(target("https://h/m", "/../../../x/").url, "https://h/x/");
    EXPECT_EQ(target("https://h/m", "/%2e%2e/x").url, "https://h/m/%2e%2e/x");
}

TEST(Join, TakesThePathAsAPathOnly) {
    EXPECT_EQ(target("https://h/m", "/c?d#e f\u00e9").url, "https://h/m/c%3Fd%23e%20f%C3%A9");
    EXPECT_EQ(target("https://h/a%2Fb", "/c%2fd").url, "https://h/a%2Fb/c%2fd");
}

TEST(Join, KeepsQueryAndUserinfo) {
    EXPECT_EQ(target("https://u:p@h/m?a=1", "/c").url, "https://u:p@h/m/c?a=1");
    EXPECT_EQ(target("https://h:?", "/c").url, "https://h:/c?");
}

TEST(Join, FailsOnAMalformedEscape) {
    const auto endpoint = canonicalize("https://h/m");
    ASSERT_TRUE(endpoint);
    const auto joined = join(*endpoint, "/%zz");
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().message, R"(invalid URL escape "%zz")");
    EXPECT_EQ(join(*endpoint, "/a/%").error().message, R"(invalid URL escape "%")");
    EXPECT_EQ(join(*endpoint, "/%//4").error().message, R"(invalid URL escape "%/4")");
}

TEST(Join, SaysWhomToDialAndWhatToCallIt) {
    const RequestTarget plain = target("http://Host/m?q", "/c");
    EXPECT_FALSE(plain.https);
    EXPECT_EQ(plain.host, "host");
    EXPECT_EQ(plain.port, 80U);
    EXPECT_EQ(plain.host_header, "host");
    EXPECT_EQ(plain.target, "/m/c?q");

    const RequestTarget zoned = target("https://u:p@[fe80::1%25en0]:8443", "/c");
    EXPECT_TRUE(zoned.https);
    EXPECT_EQ(zoned.host, "fe80::1");
    EXPECT_EQ(zoned.zone, "en0");
    EXPECT_EQ(zoned.port, 8443U);
    EXPECT_EQ(zoned.host_header, "[fe80::1]:8443");
    EXPECT_EQ(zoned.target, "/c");
}

TEST(Join, LeavesTheDefaultPortOutOfTheHostHeader) {
    EXPECT_EQ(target("https://h:443", "/").host_header, "h");
    EXPECT_EQ(target("http://h:443", "/").host_header, "h:443");
    EXPECT_EQ(target("http://h:80", "/").host_header, "h");
    EXPECT_EQ(target("https://h:80", "/").host_header, "h:80");
    EXPECT_EQ(target("https://h:", "/").host_header, "h");
    EXPECT_EQ(target("https://h:", "/").port, 443U);
    EXPECT_EQ(target("http://[::1]:80", "/").host_header, "[::1]");
    EXPECT_EQ(target("http://:8080", "/").host_header, ":8080");
    EXPECT_EQ(target("http://:8080", "/").host, "");
}

TEST(Join, ShowsThatAPortCannotBeDialled) {
    EXPECT_EQ(target("http://h:65535", "/").port, 65'535U);
    EXPECT_EQ(target("http://h:65536", "/").port, 65'536U);
    EXPECT_GT(target("http://h:99999999999999999999", "/").port, 65'535U);
}

TEST(Join, NeverLetsAQueryBreakTheRequestLine) {
    EXPECT_EQ(target("http://h/?a b\u00e9", "/c").target, "/c?a%20b%C3%A9");
    EXPECT_EQ(target("http://h/?a b", "/c").url, "http://h/c?a b");
    EXPECT_EQ(target("http://h", "/.").target, "/");
}

}  // namespace
}  // namespace ome::core
