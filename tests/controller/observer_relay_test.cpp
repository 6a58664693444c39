// What is passed on of the observer, against servers that say what a test tells them to.
#include "observer_relay.hpp"

#include "support/run.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>

namespace ome::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ObserverRelayTest : public testing::Test {
protected:
    controller::ObserverRelay& begin(std::uint16_t port, std::size_t most = 4) {
        controller::RelaySettings settings;
        settings.url = net::parse_local_url("http://127.0.0.1:" + std::to_string(port)).value();
        settings.url.access.token = "secret";
        settings.patience = std::chrono::seconds(5);
        settings.most = most;
        relay = std::make_unique<controller::ObserverRelay>(io, settings);
        return *relay;
    }

    net::ServerResponse ask(std::vector<std::string> segments,
                            std::map<std::string, std::string> query = {}) {
        net::ServerRequest request;
        request.method = "GET";
        request.segments = std::move(segments);
        request.query = std::move(query);
        return run(io, relay->pass(std::move(request)));
    }

    std::optional<std::string> next(const net::ServerResponse& response) {
        return run(io, std::get<std::shared_ptr<net::ResponseBody>>(response.body)->next());
    }

    std::string all(const net::ServerResponse& response) {
        std::string text;
        while (auto piece = next(response)) {
            text += *piece;
        }
        return text;
    }

    net::asio::io_context io{1};
    std::unique_ptr<controller::ObserverRelay> relay;
};

TEST_F(ObserverRelayTest, PassesAnAnswerOnWithItsStatusAndType) {
    ScriptedServer server(answer_all(
        response(R"({"error":1})", "Content-Type: application/json\r\n", "404 Not Found")));
    begin(server.port());
    const net::ServerResponse answer = ask({"observer", "v1", "services"});
    EXPECT_EQ(answer.status, 404U);
    EXPECT_EQ(answer.content_type, "application/json");
    EXPECT_EQ(all(answer), R"({"error":1})");
    EXPECT_THAT(server.requests().at(0), StartsWith("GET /v1/services HTTP/1.1\r\n"));
    EXPECT_THAT(server.requests().at(0), HasSubstr("Authorization: Bearer secret\r\n"));
}

TEST_F(ObserverRelayTest, WhatWasDecodedIsEncodedAgain) {
    ScriptedServer server(answer_all(response("{}")));
    begin(server.port());
    (void)ask({"observer", "v1", "services", "a/..", "x y", "history"},
              {{"cluster", "\xC3\xA9&limit=1#"}});
    EXPECT_THAT(server.requests().at(0),
                StartsWith("GET /v1/services/a%2F../x%20y/history?cluster=%C3%A9%26limit%3D1%23 "));
}

TEST_F(ObserverRelayTest, AStreamIsPassedOnPieceByPiece) {
    ScriptedServer server([](Peer& peer) {
        (void)peer.read_request();
        peer.write(
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
            "Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n");
        peer.wait_until_gone();
    });
    begin(server.port());
    const net::ServerResponse answer = ask({"observer", "v1", "watch"});
    EXPECT_EQ(answer.content_type, "application/x-ndjson");
    EXPECT_EQ(next(answer), "one\n");
    relay->stop();
    EXPECT_EQ(next(answer), std::nullopt) << "the process is stopping";
}

TEST_F(ObserverRelayTest, AnObserverThatIsAwayIsToldAsSuch) {
    begin(refused_port());
    const net::ServerResponse answer = ask({"observer", "v1", "status"});
    EXPECT_EQ(answer.status, 502U);
    const auto error = boost::json::parse(std::get<std::string>(answer.body)).at("error");
    EXPECT_EQ(error.at("code"), "BadGateway");
    EXPECT_THAT(std::string(error.at("message").as_string()), HasSubstr("127.0.0.1"));
}

TEST_F(ObserverRelayTest, OnlySoManyAreOpenAtOnce) {
    ScriptedServer server([](Peer& peer) {
        (void)peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.wait_until_gone();
    });
    begin(server.port(), 2);
    {
        const net::ServerResponse first = ask({"observer", "v1", "watch"});
        const net::ServerResponse second = ask({"observer", "v1", "watch"});
        EXPECT_EQ(second.status, 200U);
        EXPECT_EQ(ask({"observer", "v1", "watch"}).status, 503U);
    }
    EXPECT_EQ(ask({"observer", "v1", "watch"}).status, 200U) << "those that ended make room";
}

}  // namespace
}  // namespace ome::test
