// A stream with TLS against a peer that is faster than it, or talks without end.
#include "byte_stream.hpp"

#include "support/certificates.hpp"
#include "support/run.hpp"

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace ome::net {
namespace {

/// A server's stream, whose client is a thread with OpenSSL as it comes.
class ByteStreamTest : public testing::Test {
protected:
    ByteStreamTest() {
        std::signal(SIGPIPE, SIG_IGN);
        std::array<int, 2> pair{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
        const int room = 1 << 20;
        ::setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        peer_socket = pair[1];
        stream.socket().assign(StreamProtocol(AF_UNIX, 0), pair[0]);
    }

    ~ByteStreamTest() override {
        stream.close();
        peer.join();
        ::close(peer_socket);
    }

    /// `script` has a blocking connection whose handshake is done.
    void connect(std::function<void(SSL&)> script) {
        peer = std::thread([this, script = std::move(script)] {
            const SslContextPtr ours(SSL_CTX_new(TLS_client_method()));
            const SslPtr ssl(SSL_new(ours.get()));
            SSL_set_fd(ssl.get(), peer_socket);
            if (SSL_connect(ssl.get()) == 1) {
                script(*ssl);
            }
        });
        ASSERT_TRUE(test::run(io, stream.accept_tls(*context)));
    }

    /// Reads so many pieces, one after the other, without anybody else's turn between if it can.
    Awaitable<ByteStream::Moved> read_pieces(int pieces) {
        ByteStream::Moved moved;
        for (int piece = 0; piece < pieces && !moved.error; ++piece) {
            moved = co_await stream.read_some(buffer.data(), buffer.size());
            turns_before = piece == 0 ? turns : turns_before;
        }
        turns_meanwhile = turns - turns_before;
        co_return moved;
    }

    void take_turns() {
        ++turns;
        asio::post(io, [this] { take_turns(); });
    }

    static SslContextPtr context_of(const test::Identity& identity) {
        SslContextPtr made = server_context();
        SSL_CTX_use_certificate(made.get(), identity.certificate.get());
        SSL_CTX_use_PrivateKey(made.get(), identity.key.get());
        return made;
    }

    asio::io_context io{1};
    test::Authority authority;
    SslContextPtr context = context_of(authority.leaf());
    ByteStream stream{StreamSocket(io)};
    std::array<char, 1000> buffer{};
    int peer_socket = -1;
    std::thread peer;
    int turns = 0;  ///< of somebody else on this loop
    int turns_before = 0;
    int turns_meanwhile = 0;
};

TEST_F(ByteStreamTest, AFastPeerLeavesOthersTheirTurn) {
    std::atomic<bool> written = false;
    connect([&](SSL& ssl) {
        const std::string piece(1000, 'x');
        for (int count = 0; count < 150; ++count) {
            SSL_write(&ssl, piece.data(), 1000);
        }
        written = true;
    });
    while (!written) {
        std::this_thread::yield();
    }
    take_turns();
    EXPECT_FALSE(test::run(io, read_pieces(150)).error);
    EXPECT_GE(turns_meanwhile, 2);
}

TEST_F(ByteStreamTest, MessagesOfTlsWithoutEndAreAnError) {
    connect([](SSL& ssl) {
        while (SSL_key_update(&ssl, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(&ssl) == 1) {
        }
    });
    EXPECT_EQ(test::run(io, read_pieces(1)).error, asio::error::connection_aborted);
    EXPECT_EQ(stream.problem(), "TLS: peer sends handshake messages without end");
}

}  // namespace
}  // namespace ome::net
