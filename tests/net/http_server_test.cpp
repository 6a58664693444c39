#include "http_server_fixture.hpp"

#include <sys/resource.h>

#include <vector>

namespace ome::net {
namespace {

TEST_F(HttpServerTest, SurvivesAHandlerThatThrows) {
    start();
    EXPECT_TRUE(has_status(ask(get("/bug")), 500));
    EXPECT_TRUE(has_status(ask(get("/a")), 200));
    ASSERT_EQ(scene.faults.size(), 1U);
    EXPECT_EQ(scene.faults[0], "the handler threw: broken on purpose");
}

TEST_F(HttpServerTest, LetsAFloodOfSilentConnectionsPushOutOnlyEachOther) {
    settings.max_connections = 8;
    scene.tap->silent_after = 1;
    start();
    Peer stream(address);
    stream.say(get("/tap"));
    stream.until("x\r\n");
    std::vector<Peer> flood;
    for (int i = 0; i < 100; ++i) {
        flood.emplace_back(address);
        flood.back().say(i % 2 == 0 ? "" : "GET / HT");
    }
    EXPECT_TRUE(ask(get("/served")).ends_with("/served"));
    EXPECT_LE(connections(), 8U);
    EXPECT_FALSE(scene.tap->destroyed);
}

TEST_F(HttpServerTest, LeavesNewcomersInTheBacklogWhileAllAreBusy) {
    settings.max_connections = 1;
    scene.tap->silent_after = 1;
    start();
    Peer busy(address);
    busy.say(get("/tap"));
    busy.until("x\r\n");
    Peer waiting(address);
    waiting.say(get("/later"));
    EXPECT_FALSE(waiting.readable(50ms));
    busy.close();
    EXPECT_TRUE(waiting.answer().ends_with("/later"));
}

class NoMoreDescriptors {
public:
    NoMoreDescriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const int next = ::dup(0);
        ::close(next);
        rlimit tight = before_;
        tight.rlim_cur = static_cast<rlim_t>(next);
        ::setrlimit(RLIMIT_NOFILE, &tight);
    }
    ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    NoMoreDescriptors(const NoMoreDescriptors&) = delete;
    NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

private:
    rlimit before_{};
};

TEST_F(HttpServerTest, ComesBackAfterDescriptorsRanOut) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer needs descriptors of its own and reports what is no error";
#endif
    start();
    Peer peer;
    {
        const NoMoreDescriptors shortage;
        peer.connect(address);
        peer.say(get("/late"));
        EXPECT_FALSE(peer.readable(250ms));  // two more tries of the server, at least
    }
    EXPECT_TRUE(peer.answer().ends_with("/late"));
    ASSERT_EQ(scene.faults.size(), 1U);  // told once, not at each try
    EXPECT_TRUE(scene.faults[0].starts_with("cannot accept connections")) << scene.faults[0];
}

TEST_F(HttpServerTest, StopsAtOnceWhenAllAreIdle) {
    start();
    Peer peer(address);
    peer.say(get("/a"));
    peer.answer();
    stop(1h);
    EXPECT_EQ(peer.until_closed(), "");
    EXPECT_FALSE(Peer(address).connected());
}

TEST_F(HttpServerTest, LetsARequestInProgressFinishBeforeItStops) {
    start();
    Peer peer(address);
    peer.say(get("/slow"));
    EXPECT_TRUE(eventually([&] {
        const std::lock_guard lock(scene.mutex);
        return scene.last.has_value();
    }));
    stop(1h);
    const std::string answer = peer.until_closed();
    EXPECT_TRUE(answer.ends_with("slow"));
    EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST_F(HttpServerTest, CutsStreamsAfterItsGrace) {
    scene.tap->silent_after = 1;
    start();
    Peer peer(address);
    peer.say(get("/tap"));
    peer.until("x\r\n");
    stop(20ms);
    EXPECT_TRUE(scene.tap->destroyed);
    EXPECT_EQ(peer.until_closed(), "");
}

}  // namespace
}  // namespace ome::net
