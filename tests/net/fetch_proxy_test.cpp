// Fetches through a proxy, which is a scripted server that answers in the home's name.
#include "fetch_fixture.hpp"

namespace ome::net {
namespace {

using core::Fault;
using test::response;

class FetchProxyTest : public FetchTest {
protected:
    FetchProxyTest() {
        settings.trust = Trust::load({authority.file()}).value();
        settings.allow_loopback = false;  // the proxy's own address is the operator's choice
    }

    /// Everything that is not loopback goes to `port`, with a client of its own.
    void use_proxy(std::uint16_t port, const std::string& userinfo = "") {
        if (client != nullptr) {
            lane.close();
            test::run(io, client->stop());
            client.reset();
        }
        const std::string url = "http://" + userinfo + "127.0.0.1:" + std::to_string(port);
        settings.proxies =
            core::ProxyRules::create({.http = url, .https = url, .none = "straight.test"}).value();
        words = "proxy 127.0.0.1:" + std::to_string(port) + ": ";
    }

    core::AttemptOutcome fetch_by_rules(const core::RequestTarget& target, bool fresh = false) {
        const auto request = std::make_shared<PreparedRequest>(
            the_client().prepare(target, core::Method::Get, fresh, "worker-a"));
        options.facts = &facts;
        return test::run(
            io, fetch_once(&the_client(), request, options, &lane, &deadlines, timeout, &buffer));
    }

    static core::RequestTarget home(bool https = false) {
        core::RequestTarget target = https ? tls_target_of(443, "home.test") : target_of(80);
        target.host = target.host_header = "home.test";
        target.target = "/capacity?a=b";
        return target;
    }

    /// The problem, without the name of the proxy that it begins with.
    std::string problem(const core::AttemptOutcome& outcome) const {
        EXPECT_EQ(outcome.fault, Fault::Unreachable);
        EXPECT_EQ(outcome.text.find(words), 0U) << outcome.text;
        return outcome.text.substr(std::min(words.size(), outcome.text.size()));
    }

    /// What comes of a proxy that answers CONNECT with `bytes` and then waits.
    core::AttemptOutcome after_connect(std::string bytes) {
        test::ScriptedServer server([&](test::Peer& peer) {
            peer.read_request();
            peer.write(bytes);
            peer.wait_until_gone();
        });
        use_proxy(server.port());
        return fetch_by_rules(home(true));
    }

    test::Authority authority;
    std::string words;
};

TEST_F(FetchProxyTest, AnHttpRequestIsInAbsoluteFormWithTheProxysCredentials) {
    test::ScriptedServer server(test::answer_all(response("body")));
    use_proxy(server.port(), "user:pass@");
    EXPECT_EQ(fetch_by_rules(home()).status, 200);
    EXPECT_EQ(server.requests().at(0),
              "GET http://home.test/capacity?a=b HTTP/1.1\r\nHost: home.test\r\n"
              "User-Agent: ome-observer/" OME_VERSION
              "\r\nAccept-Encoding: identity\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n");
}

TEST_F(FetchProxyTest, AnHttpsRequestGoesThroughATunnelAndTheProxySeesNothingOfIt) {
    std::string inside;
    test::ScriptedServer server([&](test::Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.0 200 Connection established\r\nVia: x\r\n\r\n");
        if (peer.start_tls(*test::server_context(authority.leaf()))) {
            inside = peer.read_request();
            peer.write(response("body"));
        }
        peer.wait_until_gone();
    });
    use_proxy(server.port(), "user:pass@");
    const core::AttemptOutcome outcome = fetch_by_rules(home(true), true);
    EXPECT_EQ(outcome.status, 200) << outcome.text;
    server.wait_for_all();
    EXPECT_EQ(server.requests().at(0),
              "CONNECT home.test:443 HTTP/1.1\r\nHost: home.test:443\r\n"
              "User-Agent: ome-observer/" OME_VERSION
              "\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n\r\n");
    EXPECT_EQ(inside.find("GET /capacity?a=b HTTP/1.1\r\n"), 0U) << inside;
    EXPECT_EQ(inside.find("Proxy-Authorization"), std::string::npos);
}

TEST_F(FetchProxyTest, ATunnelIsKeptForTheNextPoll) {
    test::ScriptedServer server([&](test::Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\n\r\n");
        peer.start_tls(*test::server_context(authority.leaf()));
        test::answer_all(response("body"))(peer);
    });
    use_proxy(server.port());
    EXPECT_EQ(fetch_by_rules(home(true)).status, 200);
    EXPECT_EQ(fetch_by_rules(home(true)).status, 200);
    EXPECT_EQ(server.connections(), 1U);
}

TEST_F(FetchProxyTest, TheHomesCertificateIsVerifiedBehindTheProxy) {
    test::ScriptedServer server([&](test::Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\n\r\n");
        peer.start_tls(*test::server_context(authority.leaf({.names = "DNS:proxy.test"})));
        peer.wait_until_gone();
    });
    use_proxy(server.port());
    EXPECT_EQ(fetch_by_rules(home(true)).text, "TLS: certificate is not valid for home.test");
}

TEST_F(FetchProxyTest, AProxyThatRefusesIsNamed) {
    EXPECT_EQ(problem(after_connect(response("", "", "407 Auth"))),
              "CONNECT was answered with HTTP 407");
    EXPECT_EQ(problem(after_connect("nonsense\r\n\r\n")),
              "malformed response: status line \"nonsense\"");
    EXPECT_EQ(problem(after_connect("HTTP/1.1 200 OK\r\n\r\nsurplus")),
              "bytes came before the TLS handshake");
    use_proxy(test::refused_port());
    EXPECT_EQ(problem(fetch_by_rules(home(true))), "connection refused");
    EXPECT_EQ(problem(fetch_by_rules(home())), "connection refused");
}

TEST_F(FetchProxyTest, ASilentProxyEndsAtTheDeadline) {
    timeout = 50ms;
    const core::AttemptOutcome outcome = after_connect("HTTP/1.1 200");
    EXPECT_EQ(outcome.fault, Fault::Unreachable);
    EXPECT_EQ(outcome.text, "context deadline exceeded");
}

TEST_F(FetchProxyTest, AnAddressThatIsDeniedIsNotReachedThroughAProxyEither) {
    test::ScriptedServer server(test::answer_all(response("body")));
    use_proxy(server.port());
    core::RequestTarget metadata = home();
    metadata.host = "169.254.169.254";
    EXPECT_EQ(fetch_by_rules(metadata).fault, Fault::Refused);
    EXPECT_EQ(server.connections(), 0U);
    EXPECT_EQ(the_client().stats().refused, 1U);
}

TEST_F(FetchProxyTest, F21_LoopbackNeverGoesThroughTheProxy) {
    settings.allow_loopback = true;
    test::ScriptedServer proxy(test::answer_all(response("proxy")));
    test::ScriptedServer server(test::answer_all(response("home")));
    use_proxy(proxy.port());
    options.body = BodyUse::Report;
    EXPECT_EQ(fetch_by_rules(target_of(server.port())).status, 200);
    EXPECT_EQ(buffer.body(), "home");
    EXPECT_EQ(proxy.connections(), 0U);
}

}  // namespace
}  // namespace ome::net
