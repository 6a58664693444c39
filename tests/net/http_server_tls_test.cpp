// The server with TLS: the same answers, and nothing for those who do not speak it.
#include "http_server_fixture.hpp"
#include "support/certificates.hpp"
#include <ome/net/local_client.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace ome::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HttpServerTlsTest : public HttpServerTest {
protected:
    void SetUp() override {
        HttpServerTest::SetUp();
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        settings.tls = tls_of(authority.leaf());
    }
    void TearDown() override {
        HttpServerTest::TearDown();
        std::filesystem::remove_all(folder);
    }

    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = folder + "/" + name;
        std::ofstream(path, std::ios::trunc) << text;
        ::chmod(path.c_str(), 0600);
        return path;
    }

    std::shared_ptr<const ServerTls> tls_of(const test::Identity& identity) {
        return ServerTls::load(write("cert.pem", test::certificate_pem(identity)),
                               write("key.pem", test::key_pem(identity)),
                               warnings)
            .value();
    }

    core::Result<LocalReply> https(const std::string& target,
                                   const test::Authority& trusted,
                                   core::Duration patience = 5s) {
        LocalUrl url = parse_local_url("https://" + address).value();
        url.access.ca_files = {trusted.file()};
        LocalLimits limits;
        limits.timeout = patience;
        return get_locally(url, target, limits);
    }

    std::string folder = testing::TempDir() + "ome-server-tls-" + std::to_string(::getpid());
    test::Authority authority;
    std::vector<std::string> warnings;
};

TEST_F(HttpServerTlsTest, AnswersAsItDoesWithoutTls) {
    start();
    EXPECT_THAT(warnings, IsEmpty());
    const auto reply = https("/some/path", authority);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->status, 200U);
    EXPECT_EQ(reply->body, "you asked for /some/path");
}

TEST_F(HttpServerTlsTest, StreamsAnswersPieceByPiece) {
    scene.tap->piece_bytes = 100'000;
    scene.tap->pieces = 50;
    start();
    const auto reply = https("/tap", authority);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->body.size(), 5'000'000U);
    EXPECT_TRUE(eventually([&] { return scene.tap->destroyed.load(); }));
}

TEST_F(HttpServerTlsTest, AStreamEndsWhenItsClientLeaves) {
    scene.tap->silent_after = 1;
    start();
    EXPECT_FALSE(https("/tap", authority, 200ms));
    EXPECT_TRUE(eventually([&] { return scene.tap->destroyed.load() && connections() == 0; }));
}

TEST_F(HttpServerTlsTest, ClientsVerifyTheCertificate) {
    start();
    const auto reply = https("/", test::Authority("other"));
    ASSERT_FALSE(reply);
    EXPECT_EQ(
        reply.error().message,
        "cannot reach https://" + address + ": TLS: certificate is signed by an unknown authority");
}

TEST_F(HttpServerTlsTest, PlainHttpGetsNoAnswer) {
    start();
    Peer peer(address);
    peer.say(get("/"));
    EXPECT_EQ(peer.until_closed().find("HTTP/1.1"), std::string::npos);
    EXPECT_TRUE(eventually([&] { return connections() == 0; }));
    EXPECT_TRUE(https("/", authority));
}

TEST_F(HttpServerTlsTest, AHandshakeThatStallsIsCutOff) {
    settings.request_timeout = 50ms;
    start();
    Peer peer(address);
    peer.say(std::string("\x16\x03\x01\x10\x00\x01", 6));
    peer.until_closed();
    EXPECT_TRUE(eventually([&] { return connections() == 0; }));
}

TEST_F(HttpServerTlsTest, AnotherCertificateIsForNewConnections) {
    start();
    const test::Authority other("other");
    const auto fresh = tls_of(other.leaf());
    std::promise<void> done;
    asio::post(io, [&] {
        server->set_tls(fresh);
        done.set_value();
    });
    done.get_future().get();
    EXPECT_TRUE(https("/", other));
    EXPECT_FALSE(https("/", authority));
}

TEST_F(HttpServerTlsTest, FilesThatCannotBeUsedAreNamed) {
    const std::string certificate = write("cert.pem", test::certificate_pem(authority.leaf()));
    const std::string key = write("key.pem", test::key_pem(authority.leaf()));
    const std::string nonsense = write("nonsense.pem", "nonsense");
    const auto problem = [&](const std::string& its_certificate, const std::string& its_key) {
        const auto made = ServerTls::load(its_certificate, its_key, warnings);
        return made ? "no problem" : made.error().message;
    };
    EXPECT_EQ(problem("/no/such/file", key), "tls-cert: /no/such/file: No such file or directory");
    EXPECT_EQ(problem(nonsense, key), "tls-cert: " + nonsense + ": must hold certificates in PEM");
    EXPECT_EQ(problem(certificate, nonsense),
              "tls-key: " + nonsense + ": must hold a private key in PEM, without a password");
    EXPECT_EQ(problem(certificate, key),
              "tls-cert: " + certificate + " and --tls-key " + key +
                  " do not fit together: key values mismatch");
    ::chmod(key.c_str(), 0604);
    std::ignore = problem(certificate, key);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("others may read this private key")));
}

}  // namespace
}  // namespace ome::net
