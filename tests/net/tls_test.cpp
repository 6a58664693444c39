// TLS: what is verified, what is said when it fails, and what never happens.
#include "fetch_fixture.hpp"
#include "support/scripted_dns.hpp"

#include <atomic>

namespace ome::net {
namespace {

using core::Fault;
using test::Identity;
using test::LeafOptions;
using test::response;

class TlsTest : public FetchTest {
protected:
    TlsTest() {
        settings.trust = Trust::load({authority.file()}).value();
        settings.dns_servers = dns.address();
    }

    core::AttemptOutcome against(const std::shared_ptr<SSL_CTX>& context,
                                 const std::string& host = "localhost") {
        test::ScriptedServer server(context, test::answer_all(response("body")));
        return fetch(tls_target_of(server.port(), host));
    }

    std::string problem(const LeafOptions& leaf, const std::string& host = "localhost") {
        const core::AttemptOutcome outcome =
            against(test::server_context(authority.leaf(leaf)), host);
        EXPECT_EQ(outcome.fault, Fault::Unreachable);
        return outcome.text;
    }

    test::ScriptedDns dns{[](const std::string&, bool v6) {
        return v6 ? test::DnsReply{} : test::DnsReply{.addresses = {"127.0.0.1"}};
    }};
    test::Authority authority;
};

TEST_F(TlsTest, F23_AGoodCertificateIsGoodByNameAndByAddress) {
    const auto context = test::server_context(authority.leaf());
    for (const char* host : {"localhost", "home.test", "127.0.0.1", "home.test."}) {
        const core::AttemptOutcome outcome = against(context, host);
        EXPECT_EQ(outcome.fault, Fault::None) << host << ": " << outcome.text;
        EXPECT_GT(outcome.phases.tls, 0ns);
    }
    EXPECT_EQ(the_client().stats().handshakes, 4U);
}

TEST_F(TlsTest, F23_AChainOverAnIntermediateIsGoodWhenItIsSent) {
    const test::Authority below = authority.intermediate();
    EXPECT_EQ(against(test::server_context(below.leaf(), {below.identity()})).fault, Fault::None);
    EXPECT_EQ(against(test::server_context(below.leaf())).text,
              "TLS: certificate is signed by an unknown authority");
}

TEST_F(TlsTest, F23_EachReasonForDistrustHasItsOwnWords) {
    EXPECT_EQ(problem({.valid_from = -7200, .valid_until = -3600}), "TLS: certificate has expired");
    EXPECT_EQ(problem({.valid_from = 3600}), "TLS: certificate is not valid yet");
    EXPECT_EQ(problem({.names = "DNS:elsewhere.test"}),
              "TLS: certificate is not valid for localhost");
    EXPECT_EQ(problem({.names = "DNS:localhost"}, "127.0.0.1"),
              "TLS: certificate is not valid for 127.0.0.1");
    EXPECT_EQ(against(test::server_context(test::Authority("stranger").leaf())).text,
              "TLS: certificate is signed by an unknown authority");
    EXPECT_EQ(against(test::server_context(test::self_signed())).text,
              "TLS: certificate is self-signed and not trusted");
}

TEST_F(TlsTest, OnlyAlternativeNamesCount) {
    EXPECT_EQ(problem({.names = "", .common_name = "home.test"}, "home.test"),
              "TLS: certificate is not valid for home.test");
    EXPECT_EQ(
        against(test::server_context(authority.leaf({.names = "DNS:*.home.test"})), "a.home.test")
            .fault,
        Fault::None);
    EXPECT_EQ(problem({.names = "DNS:*.home.test"}, "a.b.home.test"),
              "TLS: certificate is not valid for a.b.home.test");
    EXPECT_EQ(problem({.names = "DNS:a*.home.test"}, "ab.home.test"),
              "TLS: certificate is not valid for ab.home.test");
}

TEST_F(TlsTest, F23_NamesAreSentAsSniAndAddressesAreNot) {
    std::string seen;
    const auto context = test::server_context(authority.leaf());
    test::ScriptedServer server(context, [&](test::Peer& peer) {
        seen = peer.server_name();
        test::answer_all(response("body"))(peer);
    });
    const auto seen_from = [&](const std::string& host) {
        EXPECT_EQ(fetch(tls_target_of(server.port(), host)).fault, Fault::None);
        lane.close();
        server.wait_for_all();
        return seen;
    };
    EXPECT_EQ(seen_from("home.test"), "home.test");
    EXPECT_EQ(seen_from("home.test."), "home.test");
    EXPECT_EQ(seen_from("127.0.0.1"), "");
}

TEST_F(TlsTest, TellsWhenTheCertificateExpires) {
    const long day = 86400;
    EXPECT_EQ(against(test::server_context(authority.leaf({.valid_until = day}))).fault,
              Fault::None);
    ASSERT_TRUE(facts.certificate_expiry.has_value());
    EXPECT_NEAR(static_cast<double>(facts.certificate_expiry->seconds),
                static_cast<double>(std::time(nullptr) + day),
                60.0);
}

// The certificate that is most in need of an alert is one that nobody accepts any more.
TEST_F(TlsTest, TellsWhenACertificateExpiresThatWasRefused) {
    const long hour = 3600;
    const auto told = [&](const Identity& identity, long expected) {
        for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
            const auto context = test::server_context(identity);
            SSL_CTX_set_max_proto_version(context.get(), version);
            facts = {};
            const core::AttemptOutcome outcome = against(context);
            EXPECT_EQ(outcome.fault, Fault::Unreachable);
            ASSERT_TRUE(facts.certificate_expiry.has_value()) << outcome.text;
            EXPECT_NEAR(static_cast<double>(facts.certificate_expiry->seconds),
                        static_cast<double>(std::time(nullptr) + expected),
                        60.0)
                << outcome.text;
        }
    };
    told(authority.leaf({.valid_from = -2 * hour, .valid_until = -hour}), -hour);
    told(authority.leaf({.valid_from = hour, .valid_until = 2 * hour}), 2 * hour);
    told(authority.leaf({.names = "DNS:elsewhere.test", .valid_until = 3 * hour}), 3 * hour);
    told(test::Authority("stranger").leaf({.valid_until = 4 * hour}), 4 * hour);
    told(test::self_signed({.valid_until = 5 * hour}), 5 * hour);
}

TEST_F(TlsTest, TellsNoExpiryWhereNoCertificateWasShown) {
    test::ScriptedServer server(test::answer_all("HTTP/1.1 400 Bad Request\r\n\r\n"));
    EXPECT_EQ(fetch(tls_target_of(server.port(), "localhost")).fault, Fault::Unreachable);
    EXPECT_EQ(facts.certificate_expiry, std::nullopt);
}

TEST_F(TlsTest, SpeaksTls12And13AndNothingOlder) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        const auto context = test::server_context(authority.leaf());
        SSL_CTX_set_min_proto_version(context.get(), version);
        SSL_CTX_set_max_proto_version(context.get(), version);
        EXPECT_EQ(against(context).fault, Fault::None) << version;
    }
    const auto old = test::server_context(authority.leaf());
    SSL_CTX_set_min_proto_version(old.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(old.get(), TLS1_1_VERSION);
    SSL_CTX_set_security_level(old.get(), 0);
    EXPECT_EQ(against(old).text, "TLS: peer does not speak TLS 1.2 or later");
}

TEST_F(TlsTest, D1_NoSessionIsEverResumed) {
    const auto context = test::server_context(authority.leaf());
    std::vector<bool> resumed;
    test::ScriptedServer server(context, [&](test::Peer& peer) {
        resumed.push_back(peer.resumed());
        test::answer_all(response("body"))(peer);
    });
    for (int attempt = 0; attempt < 3; ++attempt) {
        EXPECT_EQ(fetch(tls_target_of(server.port()), core::Method::Get, true).fault, Fault::None);
        server.wait_for_all();
    }
    EXPECT_EQ(resumed, (std::vector{false, false, false}));
}

TEST_F(TlsTest, AKeptConnectionOutlivesSessionTicketsAndIsUsedAgain) {
    test::ScriptedServer server(test::server_context(authority.leaf()),
                                test::answer_all(response("body")));
    for (int attempt = 0; attempt < 5; ++attempt) {
        EXPECT_EQ(fetch(tls_target_of(server.port())).fault, Fault::None);
        io.restart();
        io.run_for(5ms);
    }
    EXPECT_EQ(server.connections(), 1U);
    EXPECT_EQ(the_client().stats().handshakes, 1U);
}

/// What a home does that talks for TLS itself as long as it is listened to.
void never_stop_talking(test::Peer& peer) {
    while (peer.say_in_tls()) {
    }
}

class TalkativeTlsTest : public TlsTest, public testing::WithParamInterface<int> {
protected:
    TalkativeTlsTest() {
        SSL_CTX_set_min_proto_version(context.get(), GetParam());
        SSL_CTX_set_max_proto_version(context.get(), GetParam());
    }
    std::shared_ptr<SSL_CTX> context = test::server_context(authority.leaf());
};

TEST_P(TalkativeTlsTest, MessagesWithoutEndInPlaceOfAnAnswerFailTheAttempt) {
    test::ScriptedServer server(context, [](test::Peer& peer) {
        peer.read_request();
        never_stop_talking(peer);
    });
    const core::AttemptOutcome outcome = fetch(tls_target_of(server.port()));
    EXPECT_EQ(outcome.fault, Fault::Unreachable);
    EXPECT_EQ(outcome.text, "TLS: peer sends handshake messages without end");
    EXPECT_LT(took, 1s);
}

TEST_P(TalkativeTlsTest, MessagesWithoutEndInsideABodyFailTheAttempt) {
    test::ScriptedServer server(context, [](test::Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
        never_stop_talking(peer);
    });
    const core::AttemptOutcome outcome = report(tls_target_of(server.port()));
    EXPECT_EQ(outcome.fault, Fault::Body);
    EXPECT_EQ(outcome.text, "TLS: peer sends handshake messages without end");
}

TEST_P(TalkativeTlsTest, MessagesWithoutEndCloseAnIdleConnection) {
    std::atomic<bool> idle = false;
    test::ScriptedServer server(context, [&](test::Peer& peer) {
        peer.read_request();
        peer.write(response("body"));
        while (!idle && peer.pause(1ms)) {
        }
        never_stop_talking(peer);
    });
    EXPECT_EQ(fetch(tls_target_of(server.port())).fault, Fault::None);
    EXPECT_EQ(the_client().stats().idle_connections, 1U);
    idle = true;
    const auto end = std::chrono::steady_clock::now() + 5s;
    while (the_client().stats().idle_connections != 0 && std::chrono::steady_clock::now() < end) {
        io.restart();
        io.run_one_for(10ms);
    }
    EXPECT_EQ(the_client().stats().idle_connections, 0U);
}

INSTANTIATE_TEST_SUITE_P(OfEachVersion,
                         TalkativeTlsTest,
                         testing::Values(TLS1_2_VERSION, TLS1_3_VERSION));

TEST_F(TlsTest, AFewMessagesWithEachAnswerHarmNothing) {
    const auto context = test::server_context(authority.leaf());
    test::ScriptedServer server(context, [](test::Peer& peer) {
        while (!peer.read_request().empty()) {
            for (int times = 0; times < 4; ++times) {
                peer.say_in_tls();
            }
            peer.write(response("body"));
        }
    });
    for (int attempt = 0; attempt < 50; ++attempt) {
        EXPECT_EQ(fetch(tls_target_of(server.port())).fault, Fault::None);
    }
    EXPECT_EQ(server.connections(), 1U);
}

TEST_F(TlsTest, SurplusInsideTlsEndsTheConnection) {
    test::ScriptedServer server(test::server_context(authority.leaf()), [](test::Peer& peer) {
        peer.read_request();
        // A record of its own behind one that fills the first read: it stays in TLS's buffers.
        peer.write(response(std::string(40000, 'x')));
        peer.write(response("nobody asked", "", "408 X"));
        peer.wait_until_gone();
    });
    EXPECT_EQ(fetch(tls_target_of(server.port())).status, 200);
    EXPECT_EQ(fetch(tls_target_of(server.port())).status, 200);
}

TEST_F(TlsTest, F15_AMixUpOfPlainAndTlsIsNamed) {
    test::ScriptedServer plain(test::answer_all(response("body")));
    test::ScriptedServer banner([](test::Peer& peer) {
        peer.write("220 mail ESMTP\r\n");
        peer.wait_until_gone();
    });
    test::ScriptedServer answers_anything([](test::Peer& peer) {
        peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
        peer.wait_until_gone();
    });
    EXPECT_EQ(fetch(tls_target_of(banner.port())).text,
              "TLS: peer does not speak TLS on this port");
    EXPECT_EQ(fetch(tls_target_of(answers_anything.port())).text,
              "TLS: peer does not speak TLS on this port");
    timeout = 100ms;
    EXPECT_EQ(fetch(tls_target_of(plain.port())).fault, Fault::Unreachable);
    test::ScriptedServer tls(test::server_context(authority.leaf()),
                             test::answer_all(response("body")));
    EXPECT_EQ(fetch(target_of(tls.port())).fault, Fault::Unreachable);
}

TEST_F(TlsTest, F22_AHandshakeThatStallsEndsAtTheDeadline) {
    timeout = 100ms;
    test::ScriptedServer silent([](test::Peer& peer) { peer.wait_until_gone(); });
    test::ScriptedServer half([](test::Peer& peer) {
        peer.write(std::string("\x16\x03\x03\x10\x00\x02", 6));
        peer.wait_until_gone();
    });
    test::ScriptedServer drips([](test::Peer& peer) {
        peer.drip(std::string("\x16\x03\x03\x10\x00\x02", 6) + std::string(4000, 'x'), 10ms);
    });
    for (const auto* server : {&silent, &half, &drips}) {
        const core::AttemptOutcome outcome = fetch(tls_target_of(server->port()));
        EXPECT_EQ(outcome.fault, Fault::Unreachable);
        EXPECT_EQ(outcome.text, "context deadline exceeded");
        EXPECT_LT(took, 1s);
    }
}

TEST_F(TlsTest, F20_AHandshakeThatIsCutOffIsNamed) {
    test::ScriptedServer ends([](test::Peer& peer) { peer.pause(5ms); });
    EXPECT_EQ(fetch(tls_target_of(ends.port())).fault, Fault::Unreachable);
    test::ScriptedServer finishes([](test::Peer& peer) {
        peer.finish();
        peer.wait_until_gone();
    });
    EXPECT_EQ(fetch(tls_target_of(finishes.port())).text,
              "connection closed by peer during the TLS handshake");
    test::ScriptedServer alerts([](test::Peer& peer) {
        peer.write(std::string("\x15\x03\x03\x00\x02\x02\x28", 7));  // handshake_failure
        peer.wait_until_gone();
    });
    const std::string alert = fetch(tls_target_of(alerts.port())).text;
    EXPECT_EQ(alert, "TLS: peer refused with a TLS alert: handshake failure");
    EXPECT_LT(took, 1s);
}

TEST_F(TlsTest, ABodyWithoutLengthNeedsTlssGoodbye) {
    const auto context = test::server_context(authority.leaf());
    for (const bool rude : {false, true}) {
        test::ScriptedServer server(context, [rude](test::Peer& peer) {
            peer.read_request();
            peer.write("HTTP/1.1 200 OK\r\n\r\nbody");
            rude ? peer.finish_rudely() : peer.finish();
            peer.wait_until_gone();
        });
        const core::AttemptOutcome outcome = fetch(tls_target_of(server.port()));
        EXPECT_EQ(outcome.fault, rude ? Fault::Body : Fault::None);
        EXPECT_EQ(outcome.text, rude ? "unexpected EOF" : "");
    }
}

TEST_F(TlsTest, LargeBodiesArriveOverTls) {
    options.body = BodyUse::Report;
    options.max_body_bytes = 1 << 20;
    const std::string body(300000, 'x');
    test::ScriptedServer server(test::server_context(authority.leaf()),
                                test::answer_all(response(body)));
    for (int attempt = 0; attempt < 2; ++attempt) {
        EXPECT_EQ(fetch(tls_target_of(server.port())).fault, Fault::None);
        EXPECT_EQ(buffer.body(), body);
    }
    EXPECT_EQ(server.connections(), 1U);
}

}  // namespace
}  // namespace ome::net
