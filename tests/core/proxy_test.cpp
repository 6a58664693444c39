#include <ome/core/proxy.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

RequestTarget target_of(const std::string& host, std::uint32_t port = 80, bool https = false) {
    RequestTarget target;
    target.host = host;
    target.port = port;
    target.https = https;
    return target;
}

ProxyRules rules(const ProxyVariables& variables) {
    return ProxyRules::create(variables).value();
}

std::string problem(const ProxyVariables& variables) {
    const auto made = ProxyRules::create(variables);
    return made ? "no problem" : made.error().message;
}

/// Whether a request to `host` goes straight there although there is a proxy for it.
bool straight(const std::string& no_proxy, const std::string& host, std::uint32_t port = 80) {
    const ProxyRules made =
        rules({.http = "http://proxy.test:3128", .https = {}, .none = no_proxy});
    return made.proxy_for(target_of(host, port)) == nullptr;
}

Proxy http_proxy(const std::string& url) {
    return *rules({.http = url, .https = {}, .none = {}}).proxy_for(target_of("home.test"));
}

TEST(ProxyRules, WithoutVariablesEverythingGoesStraight) {
    EXPECT_EQ(ProxyRules().proxy_for(target_of("home.test")), nullptr);
    EXPECT_EQ(rules({}).proxy_for(target_of("home.test", 443, true)), nullptr);
}

TEST(ProxyRules, EachSchemeHasItsVariable) {
    const ProxyRules made = rules({.http = "http://a:1", .https = "http://b:2", .none = {}});
    EXPECT_EQ(made.proxy_for(target_of("home.test", 80, false))->shown(), "a:1");
    EXPECT_EQ(made.proxy_for(target_of("home.test", 443, true))->shown(), "b:2");
    EXPECT_EQ(made.shown(), "http endpoints: a:1, https endpoints: b:2");
}

TEST(ProxyRules, ReadsTheFormsInUse) {
    EXPECT_EQ(http_proxy("http://proxy.test").shown(), "proxy.test:80");
    EXPECT_EQ(http_proxy("HTTP://Proxy.Test:3128/").shown(), "proxy.test:3128");
    EXPECT_EQ(http_proxy("proxy.test:3128").shown(), "proxy.test:3128");
    EXPECT_EQ(http_proxy(" 10.0.0.1:3128 ").shown(), "10.0.0.1:3128");
    EXPECT_EQ(http_proxy("http://[fd00::1]:3128").shown(), "[fd00::1]:3128");
    EXPECT_EQ(http_proxy("http://[fd00::1]").host, "fd00::1");
}

TEST(ProxyRules, CredentialsAreForTheHeaderAndNeverShown) {
    const Proxy proxy = http_proxy("http://user:p%40ss@proxy.test:3128");
    EXPECT_EQ(proxy.authorization, "Basic dXNlcjpwQHNz");
    EXPECT_EQ(proxy.shown(), "proxy.test:3128");
    EXPECT_EQ(http_proxy("http://proxy.test").authorization, "");
    EXPECT_EQ(http_proxy("http://user@proxy.test").authorization, "Basic dXNlcjo=");
}

TEST(ProxyRules, AProxyThatCannotBeUsedIsNamedWithoutItsSecrets) {
    const std::string rule = " must be http://[USER:PASSWORD@]HOST[:PORT]";
    EXPECT_EQ(problem({.http = "https://proxy.test", .https = {}, .none = {}}),
              "HTTP_PROXY \"https://proxy.test\"" + rule);
    EXPECT_EQ(problem({.http = {}, .https = "socks5://proxy.test", .none = {}}),
              "HTTPS_PROXY \"socks5://proxy.test\"" + rule);
    EXPECT_EQ(problem({.http = "http://u:secret@proxy:0", .https = {}, .none = {}}),
              "HTTP_PROXY \"***@proxy:0\"" + rule);
    EXPECT_EQ(problem({.http = "http://u:%zz@proxy", .https = {}, .none = {}}),
              "HTTP_PROXY \"***@proxy\"" + rule);
    for (const char* url :
         {"http://", "http://:3128", "http://a:65536", "http://a b", "http://u@"}) {
        EXPECT_NE(problem({.http = url, .https = {}, .none = {}}), "no problem") << url;
    }
}

TEST(ProxyRules, LoopbackNeverGoesThroughAProxy) {
    for (const char* host : {"localhost",
                             "LOCALHOST.",
                             "a.localhost",
                             "127.0.0.1",
                             "127.9.9.9",
                             "::1",
                             "0.0.0.0",
                             ""}) {
        EXPECT_TRUE(straight("", host)) << host;
    }
    EXPECT_FALSE(straight("", "localhost.test"));
    EXPECT_FALSE(straight("", "128.0.0.1"));
}

TEST(ProxyRules, NoProxyNamesMeanThemselvesAndWhatIsBelow) {
    EXPECT_TRUE(straight("home.test", "home.test"));
    EXPECT_TRUE(straight("home.test", "a.b.Home.Test."));
    EXPECT_FALSE(straight("home.test", "myhome.test"));
    EXPECT_FALSE(straight(".home.test", "home.test"));
    EXPECT_TRUE(straight(".home.test", "a.home.test"));
    EXPECT_FALSE(straight("*.home.test", "home.test"));
    EXPECT_TRUE(straight("*.home.test", "a.home.test"));
}

TEST(ProxyRules, NoProxyAddressesAndNetworksAreForEndpointsThatAreAddresses) {
    EXPECT_TRUE(straight("10.0.0.0/8", "10.255.255.255"));
    EXPECT_FALSE(straight("10.0.0.0/8", "11.0.0.0"));
    EXPECT_TRUE(straight("10.1.2.3/8", "10.9.9.9"));
    EXPECT_TRUE(straight("192.0.2.7", "192.0.2.7"));
    EXPECT_FALSE(straight("192.0.2.7", "192.0.2.8"));
    EXPECT_TRUE(straight("fd00::/8", "fd12::1"));
    EXPECT_TRUE(straight("fd00::1", "fd00::1"));
    EXPECT_FALSE(straight("10.0.0.0/8", "ten.test"));
    EXPECT_FALSE(straight("2.7", "192.0.2.7"));
}

TEST(ProxyRules, NoProxyPortsNarrowItDown) {
    EXPECT_TRUE(straight("home.test:8080", "home.test", 8080));
    EXPECT_FALSE(straight("home.test:8080", "home.test", 80));
    EXPECT_TRUE(straight("[fd00::1]:8080", "fd00::1", 8080));
    EXPECT_FALSE(straight("[fd00::1]:8080", "fd00::1", 80));
}

TEST(ProxyRules, NoProxyIsAListAndAStarMeansAll) {
    EXPECT_TRUE(straight("a.test, ,home.test ,", "home.test"));
    EXPECT_TRUE(straight("a.test,*", "home.test"));
    EXPECT_FALSE(straight("", "home.test"));
}

TEST(ProxyRules, NoProxyMembersThatMeanNothingAreNamed) {
    for (const char* member : {"10.0.0.0/33", "a/b", "home.test:0", "home.test:x", "a*b"}) {
        EXPECT_EQ(problem({.http = {}, .https = {}, .none = member}),
                  "NO_PROXY \"" + std::string(member) +
                      "\" must be *, a name, an address or a network such as 10.0.0.0/8, names "
                      "and addresses with or without a port");
    }
}

}  // namespace
}  // namespace ome::core
