#include "http_server_fixture.hpp"

#include <thread>
#include <vector>

namespace ome::net {
namespace {

class HttpSessionTest : public HttpServerTest {};

TEST_F(HttpSessionTest, AnswersOneRequestAfterTheOtherOnOneConnection) {
    start();
    Peer peer(address);
    peer.say(get("/a"));
    const std::string first = peer.answer();
    EXPECT_TRUE(has_status(first, 200)) << first;
    EXPECT_TRUE(first.ends_with("you asked for /a")) << first;
    EXPECT_NE(first.find("\r\nDate: "), std::string::npos);
    peer.say(get("/b"));
    EXPECT_TRUE(peer.answer().ends_with("/b"));
}

TEST_F(HttpSessionTest, AnswersPipelinedRequestsInTheirOrder) {
    start();
    Peer peer(address);
    peer.say(get("/slow") + get("/second") +
             "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nthird" +
             get("/none"));
    EXPECT_TRUE(peer.answer().ends_with("slow"));
    EXPECT_TRUE(peer.answer().ends_with("/second"));
    EXPECT_TRUE(peer.answer().ends_with("third"));
    EXPECT_TRUE(has_status(peer.answer(), 204));
}

TEST_F(HttpSessionTest, TakesARequestByteByByte) {
    start();
    Peer peer(address);
    for (const char c : get("/drip")) {
        peer.say({&c, 1});
    }
    EXPECT_TRUE(peer.answer().ends_with("/drip"));
}

TEST_F(HttpSessionTest, TakesTargetAndHeadersApart) {
    start();
    ask("GET /v1/a%2Fb/c?limit=3&name=x%20y+z&limit=4 HTTP/1.1\r\nHost: localhost\r\nAccept: "
        "a\r\nACCEPT: b\r\n\r\n");
    const ServerRequest& seen = *scene.last;
    EXPECT_EQ(seen.path, "/v1/a%2Fb/c");
    EXPECT_EQ(seen.segments, (std::vector<std::string>{"v1", "a/b", "c"}));
    EXPECT_EQ(seen.query, (std::map<std::string, std::string>{{"limit", "4"}, {"name", "x y z"}}));
    EXPECT_EQ(seen.header("accept"), "a, b");
    EXPECT_EQ(seen.header("absent"), "");
}

TEST_F(HttpSessionTest, ReadsAChunkedBodyAndIgnoresItsTrailer) {
    start();
    Peer peer(address);
    peer.say(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nHost: evil\r\n\r\n");
    EXPECT_TRUE(peer.answer().ends_with("abcde"));
    peer.say(get("/next"));
    EXPECT_TRUE(peer.answer().ends_with("/next"));
}

TEST_F(HttpSessionTest, SaysContinueOnlyWhenTheBodyIsWanted) {
    start();
    const std::string head =
        " HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    Peer wanted(address);
    wanted.say("POST /echo" + head);
    EXPECT_EQ(wanted.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    wanted.say("ok");
    EXPECT_TRUE(wanted.answer().ends_with("ok"));

    Peer unwanted(address);
    unwanted.say("POST /ignored" + head);
    const std::string answer = unwanted.until_closed();
    EXPECT_TRUE(has_status(answer, 200)) << answer;
    EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST_F(HttpSessionTest, TellsABodyCutShortFromACompleteOne) {
    start();
    Peer peer(address);
    peer.say("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
    peer.finish_sending();
    EXPECT_TRUE(has_status(peer.answer(), 400));
}

TEST_F(HttpSessionTest, ARefusalOfAHeadHasNoBodyAndOneAfterAHeadHas) {
    start();
    for (const char* broken :
         {"HEAD / HTTP/1.1\r\nno colon\r\n\r\n", "HEAD /\x7f HTTP/1.1\r\n\r\n"}) {
        Peer peer(address);
        peer.say(broken);
        const std::string answer = peer.until_closed();
        EXPECT_TRUE(has_status(answer, 400)) << answer;
        EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
    }
    Peer kept(address);
    kept.say("HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_TRUE(has_status(kept.until("\r\n\r\n"), 200));
    kept.say("GET / HTTP/1.1\r\nno colon\r\n\r\n");
    const std::string answer = kept.until_closed();
    EXPECT_TRUE(has_status(answer, 400)) << answer;
    EXPECT_FALSE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(HttpSessionTest, LetsABodyOfTheLimitPassAndNotOneByteMore) {
    start();
    const auto post = [&](std::size_t bytes) {
        return ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                   std::to_string(bytes) + "\r\n\r\n" + std::string(bytes, 'x'));
    };
    EXPECT_TRUE(has_status(post(100'000), 200));
    EXPECT_TRUE(has_status(post(100'001), 413));
}

TEST_F(HttpSessionTest, AnswersAnUploadThatNobodyReadsBeforeItCloses) {
    start();
    Peer peer(address);
    peer.say("POST /ignored HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n");
    peer.say(std::string(2'000'000, 'x'));
    EXPECT_TRUE(has_status(peer.answer(), 200));
}

TEST_F(HttpSessionTest, RefusesADeclaredBodyAboveItsOwnLimit) {
    settings.max_body_bytes = 10;
    start();
    EXPECT_TRUE(has_status(
        ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n"), 413));
    EXPECT_TRUE(has_status(
        ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n0123456789"),
        200));
}

TEST_F(HttpSessionTest, RefusesWhatIsNotHttp) {
    start();
    const std::string host = "Host: localhost\r\n";
    const std::vector<std::pair<std::string, unsigned>> cases{
        {"nonsense\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" + host + host + "\r\n", 400},
        {"GET /%zz HTTP/1.1\r\n" + host + "\r\n", 400},
        {"GET /%00 HTTP/1.1\r\n" + host + "\r\n", 400},
        {"GET a HTTP/1.1\r\n" + host + "\r\n", 400},
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
         400},
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", 501},
        {"POST / HTTP/1.1\r\n" + host + "Expect: wonders\r\n\r\n", 417},
        {"GET / HTTP/2.0\r\n" + host + "\r\n", 505},
    };
    for (const auto& [request, status] : cases) {
        EXPECT_TRUE(has_status(ask(request), status)) << request;
    }
}

TEST_F(HttpSessionTest, LimitsTheHead) {
    settings.max_head_bytes = 1000;
    start();
    EXPECT_TRUE(has_status(ask(get("/", "X: " + std::string(900, 'x') + "\r\n")), 200));
    EXPECT_TRUE(has_status(ask(get("/", "X: " + std::string(1000, 'x') + "\r\n")), 431));
    EXPECT_TRUE(has_status(ask("GET /" + std::string(2000, 'x')), 431));
}

TEST_F(HttpSessionTest, LimitsAChunkExtension) {
    settings.max_head_bytes = 1000;
    start();
    EXPECT_TRUE(has_status(
        ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
            std::string(100'000, 'x')),
        400));
}

TEST_F(HttpSessionTest, RefusesAHostThatCouldBeARebinding) {
    settings.allowed_hosts = {"observer.example", "exact.example:80"};
    start();
    const auto host = [&](const std::string& name) {
        return ask("GET / HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
    };
    for (const char* good : {"localhost",
                             "LOCALHOST:1",
                             "127.0.0.1",
                             "127.9.9.9:7460",
                             "[::1]:80",
                             "Observer.Example:9",
                             "exact.example:80"}) {
        EXPECT_TRUE(has_status(host(good), 200)) << good;
    }
    for (const char* bad : {"evil.example",
                            "localhost.evil.example",
                            "127.0.0.1.evil.example",
                            "10.0.0.1",
                            "[::2]",
                            "[::1",
                            "exact.example",
                            ":80",
                            ""}) {
        EXPECT_TRUE(has_status(host(bad), 403)) << bad;
    }
    EXPECT_TRUE(
        has_status(ask("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), 403));
}

TEST_F(HttpSessionTest, TakesAnyHostWhenItIsNotToldToCheck) {
    settings.check_host = false;
    start();
    EXPECT_TRUE(has_status(ask("GET / HTTP/1.1\r\nHost: pod.example\r\n\r\n"), 200));
}

TEST_F(HttpSessionTest, ClosesAfterHttp10AndOnRequest) {
    start();
    Peer old(address);
    old.say("GET /a HTTP/1.0\r\n\r\n");
    EXPECT_TRUE(old.until_closed().ends_with("/a"));
    Peer asked(address);
    asked.say(get("/b", "Connection: close\r\n") + get("/c"));
    EXPECT_TRUE(asked.until_closed().ends_with("/b"));
}

TEST_F(HttpSessionTest, AnswersAClientThatHasFinishedSending) {
    start();
    Peer peer(address);
    peer.say(get("/slow"));
    peer.finish_sending();
    EXPECT_TRUE(peer.answer().ends_with("slow"));
}

TEST_F(HttpSessionTest, TimesOutASlowHeadButNotASilentConnection) {
    settings.request_timeout = 50ms;
    start();
    Peer silent(address);
    Peer slow(address);
    slow.say("GET / HT");
    EXPECT_TRUE(has_status(slow.answer(), 408));
    silent.say(get("/still-there"));
    EXPECT_TRUE(silent.answer().ends_with("/still-there"));
}

TEST_F(HttpSessionTest, TimeoutsOfCenturiesAreNotOverAtOnce) {
    settings.idle_timeout = core::Duration::max();
    settings.request_timeout = core::Duration::max();
    start();
    Peer peer(address);
    for (const char* path : {"/a", "/b"}) {
        std::this_thread::sleep_for(20ms);
        peer.say(get(path));
        EXPECT_TRUE(peer.answer().ends_with(path));
    }
}

TEST_F(HttpSessionTest, ClosesASilentConnectionWithoutAWord) {
    settings.idle_timeout = 50ms;
    start();
    Peer silent(address);
    EXPECT_EQ(silent.until_closed(), "");
    Peer used(address);
    used.say(get("/a"));
    EXPECT_TRUE(used.until_closed().ends_with("/a"));
}

// Each byte comes well within the time-out, and all together still hold the place for no longer.
TEST_F(HttpSessionTest, GivesUpABodyThatDrips) {
    settings.request_timeout = 200ms;
    start();
    Peer dripping(address);
    dripping.say("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
    std::atomic<bool> answered = false;
    std::thread drip([&dripping, &answered] {
        for (int i = 0; i < 1000 && !answered; ++i) {
            dripping.say("x");
            std::this_thread::sleep_for(20ms);
        }
    });
    const auto begin = std::chrono::steady_clock::now();
    (void)dripping.answer();
    answered = true;
    const auto held = std::chrono::steady_clock::now() - begin;
    drip.join();
    EXPECT_LT(held, 4s) << "a byte each 20 ms holds its place";
}

TEST_F(HttpSessionTest, GivesUpABodyThatStops) {
    settings.request_timeout = 50ms;
    start();
    Peer peer(address);
    peer.say("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
    EXPECT_TRUE(has_status(peer.answer(), 408));
}

}  // namespace
}  // namespace ome::net
