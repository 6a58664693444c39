#include "http_server_fixture.hpp"

namespace ome::net {
namespace {

class HttpSendTest : public HttpServerTest {};

TEST_F(HttpSendTest, AnswersHeadLikeGetWithoutTheBody) {
    start();
    Peer peer(address);
    peer.say("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string head = peer.until("\r\n\r\n");
    EXPECT_NE(head.find("Content-Length: 16\r\n"), std::string::npos) << head;
    peer.say(get("/b"));
    EXPECT_TRUE(peer.answer().starts_with("HTTP/1.1 200"));
    peer.say("HEAD /tap HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(peer.until("\r\n\r\n").find("Transfer-Encoding: chunked"), std::string::npos);
    EXPECT_EQ(scene.tap->pulled, 0);
}

TEST_F(HttpSendTest, StreamsInChunksAndGoesOn) {
    scene.tap->pieces = 2;
    scene.tap->piece_bytes = 3;
    start();
    Peer peer(address);
    peer.say(get("/tap") + get("/after"));
    EXPECT_TRUE(has_status(peer.until("\r\n\r\n"), 200));
    EXPECT_EQ(peer.until("0\r\n\r\n"), "3\r\nxxx\r\n3\r\nxxx\r\n0\r\n\r\n");
    EXPECT_TRUE(peer.answer().ends_with("/after"));
    EXPECT_TRUE(scene.tap->destroyed);
}

TEST_F(HttpSendTest, StreamsToHttp10WithoutChunks) {
    scene.tap->pieces = 2;
    start();
    Peer peer(address);
    peer.say("GET /tap HTTP/1.0\r\n\r\n");
    EXPECT_TRUE(peer.until_closed().ends_with("\r\n\r\nxx"));
}

TEST_F(HttpSendTest, AClientThatLeavesAtTheEndOfAStreamHoldsNoConnection) {
    scene.tap->pieces = 2;
    start();
    for (int i = 0; i < 200; ++i) {
        Peer peer(address);
        peer.say(get("/tap"));
        peer.finish_sending();
        (void)peer.until_closed();
        ASSERT_TRUE(peer.readable(0ms)) << "it is kept, the " << i << "th time";
    }
}

TEST_F(HttpSendTest, PullsNoFasterThanTheClientReads) {
    scene.tap->piece_bytes = 100'000;
    start();
    Peer peer(address, 4096);
    peer.say(get("/tap"));
    peer.until("\r\n\r\n");
    std::this_thread::sleep_for(50ms);
    EXPECT_LT(scene.tap->pulled, 200);  // of a million
}

TEST_F(HttpSendTest, CutsAStreamThatNobodyReads) {
    settings.write_timeout = 50ms;
    scene.tap->piece_bytes = 100'000;
    start();
    Peer peer(address, 4096);
    peer.say(get("/tap"));
    EXPECT_TRUE(eventually([&] { return scene.tap->destroyed.load(); }));
    EXPECT_TRUE(eventually([&] { return connections() == 0; }));
}

TEST_F(HttpSendTest, NoticesAClientThatLeavesASilentStream) {
    scene.tap->silent_after = 1;
    start();
    Peer peer(address);
    peer.say(get("/tap"));
    peer.until("x\r\n");
    EXPECT_FALSE(scene.tap->destroyed);
    peer.close();
    EXPECT_TRUE(eventually([&] { return scene.tap->destroyed.load(); }));
    EXPECT_TRUE(eventually([&] { return connections() == 0; }));
}

}  // namespace
}  // namespace ome::net
