#include "event_socket.hpp"

#include "support/run.hpp"
#include "support/scripted_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace ome::net {
namespace {

using namespace std::chrono_literals;
using Wanted = EventSocket::Wanted;

Awaitable<bool> wait_for(EventSocket* socket, Wanted what, Operation* operation) {
    co_return co_await socket->wait(what, *operation);
}

/// Counts what a watcher hears, and closes another socket if it is given one.
struct Ear final : EventSocket::Watcher {
    void on_stir() override {
        ++heard;
        if (closes != nullptr) {
            closes->close();
        }
    }
    int heard = 0;
    EventSocket* closes = nullptr;
};

class EventSocketTest : public testing::Test {
protected:
    std::unique_ptr<EventSocket> connect(std::uint16_t port) {
        auto socket = std::make_unique<EventSocket>(events);
        EXPECT_FALSE(socket->connect({asio::ip::address_v4::loopback(), port}));
        EXPECT_TRUE(wait(*socket, Wanted::Write));
        return socket;
    }

    bool wait(EventSocket& socket, Wanted what) {
        return test::run(io, wait_for(&socket, what, &operation));
    }

    /// Everything until the peer ends the stream.
    std::string read_all(EventSocket& socket) {
        std::string all;
        std::array<char, 4> buffer{};
        for (;;) {
            const Moved moved = socket.receive(buffer.data(), buffer.size());
            if (moved.error) {
                last_error = moved.error;
                return all;
            }
            all.append(buffer.data(), moved.bytes);
            if (moved.blocked && !wait(socket, Wanted::Read)) {
                return all + " (broken off)";
            }
        }
    }

    template <typename Condition>
    void run_until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 5s;
        while (!condition() && std::chrono::steady_clock::now() < end) {
            io.restart();
            io.run_one_for(10ms);
        }
    }

    asio::io_context io{1};
    Deadlines deadlines{io};
    Operation operation{deadlines, 1h};
    SocketEvents events{io};
    boost::system::error_code last_error;
};

TEST_F(EventSocketTest, ReadsWhatComesInPiecesUpToTheEnd) {
    test::ScriptedServer server([](test::Peer& peer) {
        peer.read_request();
        peer.drip("eight bytes and more", 1ms);
        peer.finish();
    });
    const auto socket = connect(server.port());
    EXPECT_FALSE(socket->connect_error());
    EXPECT_EQ(socket->send("GET / HTTP/1.1\r\n\r\n").bytes, 18U);
    EXPECT_EQ(read_all(*socket), "eight bytes and more");
    EXPECT_EQ(last_error, asio::error::eof);
    EXPECT_EQ(read_all(*socket), "") << "the end stays";
    EXPECT_EQ(last_error, asio::error::eof);
}

TEST_F(EventSocketTest, AnEndThatComesWithTheLastBytesIsNotMissed) {
    test::ScriptedServer server([](test::Peer& peer) {
        peer.write("ab");
        peer.finish();
    });
    const auto socket = connect(server.port());
    server.wait_for_all();
    EXPECT_EQ(read_all(*socket), "ab");
    EXPECT_EQ(last_error, asio::error::eof);
}

TEST_F(EventSocketTest, AResetIsAnError) {
    test::ScriptedServer server([](test::Peer& peer) {
        peer.read_request();
        peer.reset();
    });
    const auto socket = connect(server.port());
    std::ignore = socket->send("GET / HTTP/1.1\r\n\r\n");
    read_all(*socket);
    EXPECT_EQ(last_error, asio::error::connection_reset);
}

TEST_F(EventSocketTest, ARefusalIsAnError) {
    EventSocket socket(events);
    boost::system::error_code error =
        socket.connect({asio::ip::address_v4::loopback(), test::refused_port()});
    if (!error) {
        EXPECT_TRUE(wait(socket, Wanted::Write));
        error = socket.connect_error();
    }
    EXPECT_EQ(error, asio::error::connection_refused);
}

TEST_F(EventSocketTest, WritesOnWhenThePeerReadsAgain) {
    const std::string request = "GET /" + std::string(std::size_t{8} << 20, 'x') + "\r\n\r\n";
    test::ScriptedServer server([](test::Peer& peer) {
        peer.pause(20ms);
        peer.read_request();
        peer.write("got it");
    });
    const auto socket = connect(server.port());
    std::string_view rest = request;
    int blocked = 0;
    while (!rest.empty()) {
        const Moved moved = socket->send(rest);
        ASSERT_FALSE(moved.error);
        rest.remove_prefix(moved.bytes);
        blocked += moved.blocked ? 1 : 0;
        ASSERT_TRUE(!moved.blocked || wait(*socket, Wanted::Write));
    }
    EXPECT_GT(blocked, 0);
    EXPECT_EQ(read_all(*socket), "got it");
}

/// One end of a pair, and at the other end more than a turn's bytes.
class FastPeer : public EventSocketTest {
protected:
    FastPeer() {
        std::array<int, 2> pair{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
        peer = pair[1];
        const int room = 1 << 20;
        ::setsockopt(peer, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        const std::string much(100'000, 'x');
        EXPECT_EQ(::write(peer, much.data(), much.size()), static_cast<ssize_t>(much.size()));
        EXPECT_FALSE(socket.adopt(pair[0]));
        EXPECT_TRUE(wait(socket, Wanted::Read));
    }
    ~FastPeer() override { ::close(peer); }

    /// What one turn of the loop is given.
    std::size_t receive_a_turn() {
        std::array<char, 1000> buffer{};
        std::size_t bytes = 0;
        for (;;) {
            const Moved moved = socket.receive(buffer.data(), buffer.size());
            EXPECT_FALSE(moved.error);
            bytes += moved.bytes;
            if (moved.blocked) {
                return bytes;
            }
        }
    }

    EventSocket socket{events};
    int peer = -1;
};

TEST_F(FastPeer, IsHeardOutInSeveralTurns) {
    EXPECT_EQ(receive_a_turn(), 66'000U);
    EXPECT_EQ(receive_a_turn(), 0U) << "the same turn";
    bool others_had_their_turn = false;
    asio::post(io, [&] { others_had_their_turn = true; });
    EXPECT_TRUE(wait(socket, Wanted::Read));
    EXPECT_TRUE(others_had_their_turn);
    EXPECT_EQ(receive_a_turn(), 34'000U);
}

TEST_F(FastPeer, DoesNotProlongADeadline) {
    Operation brief(deadlines, 1ns);
    EXPECT_EQ(receive_a_turn(), 66'000U);
    EXPECT_FALSE(test::run(io, wait_for(&socket, Wanted::Read, &brief)));
    EXPECT_EQ(brief.ended(), Ended::Deadline);
}

TEST_F(FastPeer, MayBeClosedBetweenTwoTurns) {
    EXPECT_EQ(receive_a_turn(), 66'000U);
    std::optional<bool> ready;
    asio::co_spawn(io,
                   wait_for(&socket, Wanted::Read, &operation),
                   [&](const std::exception_ptr&, bool value) { ready = value; });
    socket.close();
    io.restart();
    io.poll();
    EXPECT_EQ(ready, false);
}

TEST_F(EventSocketTest, AWaitEndsWithItsOperation) {
    test::ScriptedServer server([](test::Peer& peer) { peer.wait_until_gone(); });
    const auto socket = connect(server.port());
    Operation brief(deadlines, 20ms);
    EXPECT_FALSE(test::run(io, wait_for(socket.get(), Wanted::Read, &brief)));
    EXPECT_EQ(brief.ended(), Ended::Deadline);
    EXPECT_FALSE(test::run(io, wait_for(socket.get(), Wanted::Read, &brief)));
}

TEST_F(EventSocketTest, ClosingBreaksAWaitOff) {
    test::ScriptedServer server([](test::Peer& peer) { peer.wait_until_gone(); });
    const auto socket = connect(server.port());
    std::optional<bool> ready;
    asio::co_spawn(io,
                   wait_for(socket.get(), Wanted::Read, &operation),
                   [&](const std::exception_ptr&, bool value) { ready = value; });
    io.restart();
    io.poll();
    socket->close();
    EXPECT_FALSE(ready.has_value()) << "inside of close()";
    run_until([&] { return ready.has_value(); });
    EXPECT_EQ(ready, false);
}

TEST_F(EventSocketTest, ItsWatcherHearsBytesAndTheEnd) {
    test::ScriptedServer server([](test::Peer& peer) {
        peer.read_request();
        peer.write("unasked");
        peer.read_request();
    });
    const auto socket = connect(server.port());
    Ear ear;
    socket->watch(&ear);
    EXPECT_FALSE(socket->has_news());
    std::ignore = socket->send("\r\n\r\n");
    run_until([&] { return ear.heard > 0; });
    EXPECT_TRUE(socket->has_news());
    std::array<char, 16> buffer{};
    EXPECT_EQ(socket->receive(buffer.data(), buffer.size()).bytes, 7U);
    EXPECT_FALSE(socket->has_news());
    std::ignore = socket->send("\r\n\r\n");
    run_until([&] { return ear.heard > 1; });
    EXPECT_TRUE(socket->has_news());
}

TEST_F(EventSocketTest, WhatIsClosedMeanwhileIsNotTold) {
    test::ScriptedServer server([](test::Peer& peer) { peer.read_request(); });
    const auto first = connect(server.port());
    const auto second = connect(server.port());
    Ear ears[2];
    ears[0].closes = second.get();
    ears[1].closes = first.get();
    first->watch(&ears[0]);
    second->watch(&ears[1]);
    std::ignore = first->send("\r\n\r\n");
    std::ignore = second->send("\r\n\r\n");
    server.wait_for_all();  // both have ended before the reactor looks
    run_until([&] { return ears[0].heard + ears[1].heard > 0; });
    io.restart();
    io.poll();
    EXPECT_EQ(ears[0].heard + ears[1].heard, 1);
}

}  // namespace
}  // namespace ome::net
