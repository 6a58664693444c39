// The kept connection to an API, against servers whose answers do not end or do not belong to it.
#include "support/run.hpp"
#include "support/scripted_server.hpp"
#include <ome/net/local_connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ome::net {
namespace {

using namespace std::chrono_literals;
using test::Peer;
using test::ScriptedServer;
using testing::HasSubstr;

constexpr std::size_t plenty = 200;  // pieces of 64 KiB; a bound below that is what is tested

LocalUrl url_of(const ScriptedServer& server) {
    return parse_local_url("http://127.0.0.1:" + std::to_string(server.port())).value();
}

/// Answers with `beginning`, and goes on with what never ends a line until the client leaves.
ScriptedServer::Script endless(const std::string& beginning, std::size_t* written) {
    return [=](Peer& peer) {
        (void)peer.read_request();
        (void)peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + beginning);
        const std::string piece(65536, 'x');
        while (*written < plenty && peer.write(piece)) {
            ++*written;
        }
    };
}

class EndlessLine : public testing::TestWithParam<std::string> {};

TEST_P(EndlessLine, IsGivenUpByAKeptConnection) {
    std::size_t written = 0;
    {
        const ScriptedServer server(endless(GetParam(), &written));
        asio::io_context io(1);
        LocalConnection connection(io, url_of(server), nullptr);
        const auto answer = test::run(io, connection.call({}, {.timeout = 5s}));
        ASSERT_FALSE(answer);
        EXPECT_THAT(answer.error().message, HasSubstr("header limit exceeded"));
    }
    EXPECT_LT(written, plenty);
}

TEST_P(EndlessLine, IsGivenUpByASingleRequest) {
    std::size_t written = 0;
    {
        const ScriptedServer server(endless(GetParam(), &written));
        const auto reply = get_locally(url_of(server), "/");
        ASSERT_FALSE(reply);
        EXPECT_THAT(reply.error().message, HasSubstr("header limit exceeded"));
    }
    EXPECT_LT(written, plenty);
}

INSTANTIATE_TEST_SUITE_P(OfAChunkedAnswer,
                         EndlessLine,
                         testing::Values("1;", "1\r\nx\r\n1;a=", "0\r\na: "));

TEST(LocalConnection, TakesNothingThatCameBeforeARequestForItsAnswer) {
    const ScriptedServer server([](Peer& peer) {
        while (!peer.read_request().empty()) {
            const std::string one = "one of " + std::to_string(peer.index());
            (void)peer.write(test::response(one) + test::response("not asked for"));
        }
    });
    asio::io_context io(1);
    LocalConnection connection(io, url_of(server), nullptr);
    EXPECT_EQ(test::run(io, connection.call({}, {}))->body, "one of 0");
    EXPECT_EQ(test::run(io, connection.call({}, {}))->body, "one of 1");
}

TEST(LocalConnection, TakesNoAnswerForTheOneBehindAnInterimOne) {
    const ScriptedServer server([](Peer& peer) {
        while (!peer.read_request().empty()) {
            (void)peer.write("HTTP/1.1 103 Early Hints\r\n\r\n");
            (void)peer.pause(20ms);
            (void)peer.write(test::response("late, of " + std::to_string(peer.index())));
        }
    });
    asio::io_context io(1);
    LocalConnection connection(io, url_of(server), nullptr);
    EXPECT_EQ(test::run(io, connection.call({}, {}))->status, 103U);
    EXPECT_EQ(test::run(io, connection.call({}, {}))->status, 103U) << "on a new connection";
    EXPECT_EQ(server.connections(), 2U);
}

TEST(LocalConnection, BoundsWhatComesAroundABody) {
    const std::string chunk = "1;" + std::string(60'000, 'x') + "\r\nb\r\n";
    std::size_t written = 0;
    {
        const ScriptedServer server([&](Peer& peer) {
            (void)peer.read_request();
            (void)peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while (written < plenty && peer.write(chunk)) {
                ++written;
            }
        });
        asio::io_context io(1);
        LocalConnection connection(io, url_of(server), nullptr);
        const auto answer = test::run(io, connection.call({}, {.timeout = 5s}));
        ASSERT_FALSE(answer);
        EXPECT_THAT(answer.error().message, HasSubstr("header limit exceeded"));
    }
    EXPECT_LT(written, plenty);
}

/// Announces more than any machine has, and sends a little of it.
ScriptedServer::Script announces_terabytes(const std::string& beginning) {
    return [=](Peer& peer) {
        (void)peer.read_request();
        (void)peer.write("HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n" + beginning);
        peer.wait_until_gone();
    };
}

TEST(LocalConnection, RefusesADeclaredLengthAboveItsLimitUnread) {
    const ScriptedServer server(announces_terabytes("x"));
    asio::io_context io(1);
    LocalConnection connection(io, url_of(server), nullptr);
    const auto answer =
        test::run(io, connection.call({}, {.timeout = 60s, .max_body_bytes = 1000}));
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr("the answer is larger than 1000 bytes"));
    const auto reply = get_locally(url_of(server), "/", {.timeout = 60s, .max_body_bytes = 1000});
    ASSERT_FALSE(reply);
    EXPECT_THAT(reply.error().message, HasSubstr("body limit exceeded"));
}

TEST(LocalConnection, TakesNoMemoryForALengthThatIsOnlyDeclared) {
    const ScriptedServer server(announces_terabytes("a little"));
    asio::io_context io(1);
    LocalConnection connection(io, url_of(server), nullptr);
    ASSERT_TRUE(test::run(io, connection.open({}, 60s)));
    const auto piece = test::run(io, connection.read(60s));
    ASSERT_TRUE(piece) << piece.error().message;
    EXPECT_EQ(*piece, "a little");
}

TEST(LocalConnection, StaysOpenForTheNextRequest) {
    const ScriptedServer server(test::answer_all(test::response("as asked")));
    asio::io_context io(1);
    LocalConnection connection(io, url_of(server), nullptr);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(test::run(io, connection.call({}, {}))->body, "as asked");
    }
    EXPECT_EQ(server.connections(), 1U);
}

}  // namespace
}  // namespace ome::net
