// The end of a chunked body, in whatever pieces it comes.
#include "support/run.hpp"
#include <ome/net/local_client.hpp>
#include <ome/net/local_connection.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace ome::net {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

/// Answers one request with these pieces, each in a segment of its own.
class DrippingServer {
public:
    explicit DrippingServer(std::vector<std::string> pieces)
        : thread_([this, pieces = std::move(pieces)] { serve(pieces); }) {}
    ~DrippingServer() { thread_.join(); }
    DrippingServer(const DrippingServer&) = delete;
    DrippingServer& operator=(const DrippingServer&) = delete;

    [[nodiscard]] LocalUrl url() const {
        return parse_local_url("http://127.0.0.1:" + std::to_string(port_)).value();
    }

private:
    void serve(const std::vector<std::string>& pieces) {
        error_code error;
        Tcp::socket socket(io_);
        acceptor_.accept(socket, error);
        socket.set_option(Tcp::no_delay(true), error);
        std::string request(1000, ' ');
        socket.read_some(asio::buffer(request), error);
        for (const std::string& piece : pieces) {
            asio::write(socket, asio::buffer(piece), error);
            std::this_thread::sleep_for(10ms);  // so that the other side reads it by itself
        }
    }

    asio::io_context io_{1};
    Tcp::acceptor acceptor_{io_, Tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)};
    std::uint16_t port_ = acceptor_.local_endpoint().port();
    std::thread thread_;
};

const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

struct Drip {
    std::vector<std::string> pieces;
    std::string body;
};

class ChunkedEnd : public testing::TestWithParam<Drip> {};

TEST_P(ChunkedEnd, IsUnderstoodByTheClientOfOneRequest) {
    const DrippingServer server(GetParam().pieces);
    const auto reply = get_locally(server.url(), "/");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->body, GetParam().body);
}

TEST_P(ChunkedEnd, IsUnderstoodOnAKeptConnection) {
    const DrippingServer server(GetParam().pieces);
    asio::io_context io(1);
    LocalConnection connection(io, server.url(), nullptr);
    LocalRequest request;
    request.target = "/";
    const auto reply = test::run(io, connection.call(std::move(request), {}));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->body, GetParam().body);
}

INSTANTIATE_TEST_SUITE_P(Pieces,
                         ChunkedEnd,
                         testing::Values(Drip{{head, "0\r\n", "\r", "\n"}, ""},
                                         Drip{{head, "0\r\n", "\r\n"}, ""},
                                         Drip{{head, "0", "\r", "\n", "\r", "\n"}, ""},
                                         Drip{{head + "0\r\n", "\r", "\n"}, ""},
                                         Drip{{head, "00\r\n", "\r", "\n"}, ""},
                                         Drip{{head, "0\r\n", "T: t\r\n", "\r", "\n"}, ""},
                                         Drip{{head, "1\r\na\r\n", "0\r\n", "\r", "\n"}, "a"},
                                         Drip{{head, "3\r\n", "0\r\n", "\r\n", "0\r\n\r\n"},
                                              "0\r\n"}));

}  // namespace
}  // namespace ome::net
