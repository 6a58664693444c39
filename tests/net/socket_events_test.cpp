#include "socket_events.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace ome::net {
namespace {

/// One end of a pair of sockets, and what it was told.
struct End final : SocketEvents::Listener {
    void on_events(std::uint32_t events) override {
        told |= events;
        ++times;
    }
    std::uint32_t told = 0;
    int times = 0;
};

class SocketEventsTest : public testing::Test {
protected:
    SocketEventsTest() {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
    }
    ~SocketEventsTest() override {
        ::close(pair[0]);
        ::close(pair[1]);
    }

    void poll() {
        io.restart();
        io.poll();
    }

    asio::io_context io{1};
    std::array<int, 2> pair{};
    End end;
};

TEST_F(SocketEventsTest, TellsWhatBeginsOnce) {
    SocketEvents events(io);
    ASSERT_FALSE(events.add(pair[0], end));
    poll();
    EXPECT_EQ(end.told & (EPOLLIN | EPOLLOUT), static_cast<std::uint32_t>(EPOLLOUT));
    poll();
    EXPECT_EQ(end.times, 1) << "nothing new";
    ASSERT_EQ(::write(pair[1], "x", 1), 1);
    poll();
    EXPECT_NE(end.told & EPOLLIN, 0U);
    EXPECT_EQ(end.times, 2);
    events.remove(end);
}

TEST_F(SocketEventsTest, ASocketThatCannotBeWatchedIsAnError) {
    SocketEvents events(io);
    EXPECT_TRUE(events.add(-1, end));
}

TEST_F(SocketEventsTest, KeepsTheReactorUntilItIsStopped) {
    SocketEvents events(io);
    ASSERT_FALSE(events.add(pair[0], end));
    poll();
    EXPECT_FALSE(io.stopped());
    events.stop();
    poll();
    EXPECT_TRUE(io.stopped());
}

TEST_F(SocketEventsTest, MayBeDestroyedBeforeTheReactorLooks) {
    {
        SocketEvents events(io);
        ASSERT_FALSE(events.add(pair[0], end));
    }
    poll();
    EXPECT_EQ(end.times, 0);
}

}  // namespace
}  // namespace ome::net
