// Where homes stand besides a path: addresses of their own, TLS ports, and a port that never opens.
#include "server.hpp"
#include "sockets.hpp"
#include "support/http_call.hpp"

#include <arpa/inet.h>
#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace ome::homesim {
namespace {

using test::http_call;

/// A nonblocking connection to an address of its own choice, and what comes of it within a second.
class Dialled {
public:
    Dialled(const std::string& address, std::uint16_t port)
        : fd_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        sockaddr_in where{};
        where.sin_family = AF_INET;
        where.sin_port = htons(port);
        inet_pton(AF_INET, address.c_str(), &where.sin_addr);
        (void)connect(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where);
    }
    ~Dialled() { close(fd_); }
    Dialled(const Dialled&) = delete;
    Dialled& operator=(const Dialled&) = delete;

    [[nodiscard]] int fd() const { return fd_; }
    [[nodiscard]] bool opens(int milliseconds) const { return wait(POLLOUT, milliseconds); }

    [[nodiscard]] std::string ask(const std::string& request) const {
        EXPECT_TRUE(opens(5000));
        EXPECT_EQ(send(fd_, request.data(), request.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(request.size()));
        return answer(5000);
    }

    /// What comes first; empty when nothing does or the peer closes.
    [[nodiscard]] std::string answer(int milliseconds) const {
        std::array<char, 1024> buffer{};
        if (!wait(POLLIN, milliseconds)) {
            return "silence";
        }
        const ssize_t count = recv(fd_, buffer.data(), buffer.size(), 0);
        return count < 0 ? "reset" : std::string(buffer.data(), static_cast<std::size_t>(count));
    }

private:
    [[nodiscard]] bool wait(short what, int milliseconds) const {
        pollfd one{fd_, what, 0};
        return poll(&one, 1, milliseconds) == 1;
    }

    int fd_;
};

class PlacesTest : public testing::Test {
protected:
    PlacesTest()
        : fleet({"a", "b"}, std::chrono::steady_clock::now()),
          server(*Server::create(fleet, settings())) {
        std::signal(SIGPIPE, SIG_IGN);
        thread = std::thread([this] { server->run(); });
    }
    ~PlacesTest() override {
        server->stop();
        thread.join();
    }

    static ServerSettings settings() {
        ServerSettings settings;
        settings.by_address = true;
        settings.tls_port = 0;
        settings.full_port = 0;
        return settings;
    }

    [[nodiscard]] std::string get(std::size_t home, const std::string& path) const {
        const Dialled client(indexed_address(home), server->home_ports()[0]);
        return client.ask("GET " + path + " HTTP/1.1\r\n\r\n");
    }

    [[nodiscard]] int set(const char* home, const char* change) const {
        return http_call(server->control_port(), "POST", "/homes/" + std::string(home), change)
            .status;
    }

    [[nodiscard]] boost::json::value home(const char* name) const {
        return boost::json::parse(
            http_call(server->control_port(), "GET", "/homes/" + std::string(name)).body);
    }

    Fleet fleet;
    std::unique_ptr<Server> server;
    std::thread thread;
};

/// A client that trusts the server's authority: what the verification says (X509_V_OK: 0), or -1
/// when there is no handshake.
long verify(std::uint16_t port, const std::string& authority, const char* address) {
    const Dialled client("127.0.0.1", port);
    EXPECT_TRUE(client.opens(5000));
    const std::unique_ptr<SSL_CTX, FreeContext> context(SSL_CTX_new(TLS_client_method()));
    BIO* pem = BIO_new_mem_buf(authority.data(), static_cast<int>(authority.size()));
    X509* root = PEM_read_bio_X509(pem, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), root);
    X509_free(root);
    BIO_free(pem);
    const std::unique_ptr<SSL, FreeTls> ssl(SSL_new(context.get()));
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), address);
    SSL_set_fd(ssl.get(), client.fd());
    SSL_set_connect_state(ssl.get());
    for (int i = 0; i < 10; ++i) {
        const int done = SSL_do_handshake(ssl.get());
        if (done == 1) {
            return SSL_get_verify_result(ssl.get());
        }
        pollfd one{client.fd(), POLLIN, 0};
        if (SSL_get_error(ssl.get(), done) != SSL_ERROR_WANT_READ || poll(&one, 1, 300) != 1) {
            return -1;
        }
    }
    return -1;
}

TEST(Addresses, AreNumberedBothWays) {
    EXPECT_EQ(indexed_address(0), "127.1.0.1");
    EXPECT_EQ(indexed_address(249), "127.1.0.250");
    EXPECT_EQ(indexed_address(250), "127.1.1.1");
    EXPECT_EQ(indexed_address(62'500), "127.2.0.1");
}

TEST_F(PlacesTest, AnAddressIsAHome) {
    EXPECT_NE(get(0, "/capacity").find("\"servable\":1"), std::string::npos);
    EXPECT_TRUE(get(1, "/anything").starts_with("HTTP/1.1 200"));
    EXPECT_TRUE(get(2, "/anything").starts_with("HTTP/1.1 404"));
    EXPECT_EQ(home("a").at_pointer("/poll/requests"), 1);
    EXPECT_EQ(home("a").at_pointer("/probe/requests"), 0);
    EXPECT_EQ(home("b").at_pointer("/probe/requests"), 1);
    EXPECT_EQ(home("b").at_pointer("/connections"), 1);
}

TEST_F(PlacesTest, AnAddressDoesWithConnectionsWhatItIsTold) {
    EXPECT_EQ(set("a", R"({"accept":"stall"})"), 200);
    const Dialled stalled(indexed_address(0), server->home_ports()[0]);
    EXPECT_TRUE(stalled.opens(5000));
    EXPECT_EQ(stalled.answer(50), "silence");
    EXPECT_EQ(set("a", R"({"accept":"reset"})"), 200);
    EXPECT_EQ(Dialled(indexed_address(0), server->home_ports()[0]).answer(5000), "reset");
    EXPECT_EQ(set("a", R"({"accept":"close"})"), 200);
    EXPECT_EQ(Dialled(indexed_address(0), server->home_ports()[0]).answer(5000), "");
    EXPECT_EQ(set("a", R"({"accept":"refuse"})"), 422);
    EXPECT_TRUE(get(1, "/x").starts_with("HTTP/1.1 200"));
}

TEST_F(PlacesTest, EachTlsPortIsWrongInItsOwnWay) {
    const std::vector<std::uint16_t>& ports = server->tls_ports();
    ASSERT_EQ(ports.size(), tls_variants.size());
    const auto seen = [&](Tls tls) {
        return verify(ports[static_cast<std::size_t>(tls)], server->authority(), "127.0.0.1");
    };
    EXPECT_EQ(seen(Tls::Good), X509_V_OK);
    EXPECT_EQ(seen(Tls::Expired), X509_V_ERR_CERT_HAS_EXPIRED);
    EXPECT_EQ(seen(Tls::NotYetValid), X509_V_ERR_CERT_NOT_YET_VALID);
    EXPECT_EQ(seen(Tls::WrongName), X509_V_ERR_IP_ADDRESS_MISMATCH);
    EXPECT_EQ(seen(Tls::SelfSigned), X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT);
    EXPECT_EQ(seen(Tls::Stalled), -1);
    EXPECT_EQ(seen(Tls::Reset), -1);
}

TEST_F(PlacesTest, AFullPortNeverOpens) {
    EXPECT_FALSE(Dialled("127.0.0.1", server->full_port()).opens(100));
}

}  // namespace
}  // namespace ome::homesim
