#include "socket_bio.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

namespace ome::net {
namespace {

class SocketBioTest : public testing::Test {
protected:
    SocketBioTest() {
        std::array<int, 2> pair{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
        peer = pair[1];
        EXPECT_FALSE(socket.adopt(pair[0]));
    }
    ~SocketBioTest() override { ::close(peer); }

    void look() {
        io.restart();
        io.poll();
    }

    asio::io_context io{1};
    SocketEvents events{io};
    EventSocket socket{events};
    int peer = -1;
    std::array<char, 16> buffer{};
};

TEST_F(SocketBioTest, SaysThatItWouldHaveToWait) {
    const BioPtr bio = bio_of(socket);
    EXPECT_EQ(BIO_read(bio.get(), buffer.data(), 16), -1);
    EXPECT_TRUE(BIO_should_read(bio.get()));
    ASSERT_EQ(::write(peer, "abc", 3), 3);
    look();
    EXPECT_EQ(BIO_read(bio.get(), buffer.data(), 16), 3);
    EXPECT_FALSE(BIO_should_retry(bio.get()));
}

TEST_F(SocketBioTest, TellsTheEndApartFromAnError) {
    const BioPtr bio = bio_of(socket);
    ::shutdown(peer, SHUT_WR);
    look();
    errno = EIO;
    EXPECT_EQ(BIO_read(bio.get(), buffer.data(), 16), 0);
    EXPECT_FALSE(BIO_should_retry(bio.get()));
    EXPECT_TRUE(BIO_eof(bio.get()));
    EXPECT_EQ(errno, 0);
}

TEST_F(SocketBioTest, WritesUntilThePeerIsFull) {
    const BioPtr bio = bio_of(socket);
    const std::string much(std::size_t{1} << 20, 'x');
    int written = 0;
    while ((written = BIO_write(bio.get(), much.data(), 1 << 20)) > 0) {
    }
    EXPECT_EQ(written, -1);
    EXPECT_TRUE(BIO_should_write(bio.get()));
    ::close(std::exchange(peer, -1));
    look();
    EXPECT_EQ(BIO_write(bio.get(), "x", 1), -1);
    EXPECT_FALSE(BIO_should_retry(bio.get()));
    EXPECT_EQ(errno, EPIPE);
}

}  // namespace
}  // namespace ome::net
