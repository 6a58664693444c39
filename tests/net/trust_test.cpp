// What is trusted: where it is read from, and how another takes its place.
#include "fetch_fixture.hpp"

#include <cstdlib>
#include <fstream>

namespace ome::net {
namespace {

using core::Fault;
using test::response;

class TrustTest : public FetchTest {
protected:
    Fault against(const test::Identity& identity) {
        test::ScriptedServer server(test::server_context(identity),
                                    test::answer_all(response("body")));
        return fetch(tls_target_of(server.port())).fault;
    }

    std::string problem_of(const std::string& path) {
        const auto trust = Trust::load({path});
        EXPECT_FALSE(trust.has_value()) << path;
        return trust ? std::string() : trust.error().message;
    }

    test::Authority authority;
};

/// A folder with one authority under the name that OpenSSL looks for, while the object lives.
class SystemRoots {
public:
    explicit SystemRoots(const test::Authority& authority) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        std::filesystem::copy_file(authority.file(), folder_ + "/0a1b2c3d.0");
        std::ofstream(folder_ + "/README") << "no certificate\n";
        ::setenv("SSL_CERT_DIR", ("/no/such/folder:" + folder_).c_str(), 1);
        ::setenv("SSL_CERT_FILE", "/no/such/file", 1);
    }
    ~SystemRoots() {
        ::unsetenv("SSL_CERT_DIR");
        ::unsetenv("SSL_CERT_FILE");
        std::filesystem::remove_all(folder_);
    }
    SystemRoots(const SystemRoots&) = delete;
    SystemRoots& operator=(const SystemRoots&) = delete;

    void empty() const { std::filesystem::remove_all(folder_); }

private:
    std::string folder_ = testing::TempDir() + "ome-system-roots";
};

TEST_F(TrustTest, FilesThatCannotBeUsedAreNamedWithTheReason) {
    EXPECT_EQ(problem_of("/no/such/file"), "ca-file: /no/such/file: No such file or directory");
    EXPECT_EQ(problem_of("/"), "ca-file: /: is not a regular file");
    const std::string path = testing::TempDir() + "ome-not-a-certificate.pem";
    std::ofstream(path) << "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    EXPECT_EQ(problem_of(path), "ca-file: \"" + path + "\" must hold certificates in PEM");
    std::ofstream(path, std::ios::trunc) << "hello\n";
    EXPECT_EQ(problem_of(path), "ca-file: \"" + path + "\" must hold certificates in PEM");
    std::filesystem::remove(path);
}

TEST_F(TrustTest, SystemRootsAreReadWhenTrustIsLoadedAndNotInHandshakes) {
    const SystemRoots roots(authority);
    settings.trust = Trust::load({}).value();
    roots.empty();
    EXPECT_EQ(against(authority.leaf()), Fault::None);
}

TEST_F(TrustTest, CaFilesAreTrustedBesidesTheSystemRoots) {
    const SystemRoots roots(authority);
    const test::Authority other("other");
    settings.trust = Trust::load({other.file()}).value();
    EXPECT_EQ(against(authority.leaf()), Fault::None);
    EXPECT_EQ(against(other.leaf()), Fault::None);
}

TEST_F(TrustTest, AnAuthorityThatIsNamedNeedNotHaveSignedItself) {
    const test::Authority below = authority.intermediate();
    settings.trust = Trust::load({below.file()}).value();
    EXPECT_EQ(against(below.leaf()), Fault::None);
    EXPECT_EQ(against(authority.leaf()), Fault::Unreachable);
}

TEST_F(TrustTest, WithoutAnyTrustNoHandshakeBegins) {
    settings.trust = nullptr;
    EXPECT_EQ(against(authority.leaf()), Fault::Refused);
}

TEST_F(TrustTest, AnotherTrustCountsForNewAndIdleConnectionsAtOnce) {
    settings.trust = Trust::load({authority.file()}).value();
    test::ScriptedServer server(test::server_context(authority.leaf()),
                                test::answer_all(response("body")));
    EXPECT_EQ(fetch(tls_target_of(server.port())).fault, Fault::None);
    EXPECT_EQ(the_client().stats().idle_connections, 1U);
    the_client().set_trust(Trust::load({test::Authority("other").file()}).value());
    EXPECT_EQ(the_client().stats().idle_connections, 0U);
    EXPECT_EQ(fetch(tls_target_of(server.port())).fault, Fault::Unreachable);
}

TEST_F(TrustTest, PlainConnectionsOutliveAChangeOfTrust) {
    test::ScriptedServer server(test::answer_all(response("body")));
    EXPECT_EQ(fetch(target_of(server.port())).fault, Fault::None);
    the_client().set_trust(Trust::load({}).value());
    EXPECT_EQ(fetch(target_of(server.port())).fault, Fault::None);
    EXPECT_EQ(server.connections(), 1U);
}

TEST_F(TrustTest, SeveralLoopsShareOne) {
    const auto shared = Trust::load({authority.file()}).value();
    settings.trust = shared;
    test::ScriptedServer server(test::server_context(authority.leaf()),
                                test::answer_all(response("body")));
    std::vector<std::thread> threads;
    std::vector<Fault> faults(3, Fault::Cancelled);
    for (Fault& fault : faults) {
        threads.emplace_back([&, into = &fault] {
            asio::io_context loop{1};
            Deadlines its_deadlines(loop);
            const auto own = Client::create(loop, settings).value();
            const auto request = std::make_shared<PreparedRequest>(
                prepare(tls_target_of(server.port()), core::Method::Get, true));
            FetchBuffer its_buffer;
            for (int attempt = 0; attempt < 20; ++attempt) {
                *into = test::run(loop,
                                  fetch_once(own.get(),
                                             request,
                                             FetchOptions(),
                                             nullptr,
                                             &its_deadlines,
                                             5s,
                                             &its_buffer))
                            .fault;
            }
            test::run(loop, own->stop());
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(faults, std::vector(3, Fault::None));
}

}  // namespace
}  // namespace ome::net
