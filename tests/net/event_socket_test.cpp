#include "event_socket.hpp"

#include "support/run.hpp"
#include "support/scripted_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

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
