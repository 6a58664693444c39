#include <ome/net/http_server.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace ome::net {
namespace {

using namespace std::chrono_literals;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         Executor>;

// A blocking client that says exactly the bytes it is told to, and gives up after five seconds.
class Peer {
public:
    Peer() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    explicit Peer(const std::string& address, int receive_buffer = 0) {
        const ListenAddress to = parse_listen_address(address).value();
        fd_ = ::socket(to.is_unix() ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (receive_buffer > 0) {
            ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        }
        connect(address);
    }
    ~Peer() { close(); }
    Peer(Peer&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)),
          connected_(other.connected_),
          surplus_(std::move(other.surplus_)) {}
    Peer& operator=(Peer&&) = delete;

    void connect(const std::string& address) {
        const ListenAddress to = parse_listen_address(address).value();
        connected_ = to.is_unix() ? connect_unix(to) : connect_tcp(to);
    }
    [[nodiscard]] bool connected() const { return connected_; }

    void say(std::string_view text) {
        while (!text.empty()) {
            const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                return;
            }
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    void close() {
        if (fd_ >= 0) {
            ::close(std::exchange(fd_, -1));
        }
    }
    void finish_sending() { ::shutdown(fd_, SHUT_WR); }

    /// Up to and including `mark`; what came is returned also when it never came.
    std::string until(std::string_view mark) {
        for (;;) {
            const std::size_t at = surplus_.find(mark);
            if (at != std::string::npos) {
                return take(at + mark.size());
            }
            if (!receive()) {
                return take(surplus_.size());
            }
        }
    }

    std::string exactly(std::size_t count) {
        while (surplus_.size() < count && receive()) {
        }
        return take(std::min(count, surplus_.size()));
    }

    std::string until_closed() {
        while (receive()) {
        }
        return take(surplus_.size());
    }

    /// Head and body of an answer with Content-Length.
    std::string answer() {
        std::string head = until("\r\n\r\n");
        const std::size_t at = head.find("Content-Length: ");
        const std::size_t length = at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
        return head + exactly(length);
    }

    /// False after `patience` without a byte and without an end.
    bool readable(std::chrono::milliseconds patience) {
        pollfd wanted{fd_, POLLIN, 0};
        return ::poll(&wanted, 1, static_cast<int>(patience.count())) > 0;
    }

private:
    bool connect_tcp(const ListenAddress& to) {
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_port = htons(to.port);
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return ::connect(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0;
    }
    bool connect_unix(const ListenAddress& to) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        to.unix_path.copy(name.sun_path, sizeof name.sun_path - 1);
        return ::connect(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0;
    }
    bool receive() {
        char bytes[4096];
        if (!readable(5000ms)) {
            return false;
        }
        const ssize_t count = ::recv(fd_, bytes, sizeof bytes, 0);
        if (count <= 0) {
            return false;
        }
        surplus_.append(bytes, static_cast<std::size_t>(count));
        return true;
    }
    std::string take(std::size_t count) {
        std::string out = surplus_.substr(0, count);
        surplus_.erase(0, count);
        return out;
    }

    int fd_ = -1;
    bool connected_ = false;
    std::string surplus_;
};

// Pieces come when the test says so, or without end.
struct Tap {
    std::atomic<int> pulled{0};
    std::atomic<bool> destroyed{false};
    std::atomic<int> silent_after{1'000'000};
    std::atomic<std::size_t> piece_bytes{1};
    std::atomic<int> pieces{1'000'000};
};

class TapBody : public ResponseBody {
public:
    explicit TapBody(std::shared_ptr<Tap> tap) : tap_(std::move(tap)) {}
    ~TapBody() override { tap_->destroyed = true; }
    TapBody(const TapBody&) = delete;
    TapBody& operator=(const TapBody&) = delete;

    Awaitable<std::optional<std::string>> next() override {
        const int pulled = tap_->pulled++;
        if (pulled >= tap_->silent_after) {
            Timer never(co_await asio::this_coro::executor, core::SteadyTime::max());
            std::ignore = co_await never.async_wait(as_result);
        }
        if (pulled >= tap_->pieces) {
            co_return std::nullopt;
        }
        co_return std::string(tap_->piece_bytes, 'x');
    }

private:
    std::shared_ptr<Tap> tap_;
};

ServerResponse text_answer(unsigned status, std::string text) {
    ServerResponse response;
    response.status = status;
    response.content_type = "text/plain";
    response.body = std::move(text);
    return response;
}

struct Scene {
    std::shared_ptr<Tap> tap = std::make_shared<Tap>();
    std::mutex mutex;
    std::vector<std::string> faults;
    std::optional<ServerRequest> last;
};

Awaitable<ServerResponse> echo_body(ServerRequest request) {
    auto body = co_await read_all(request.body, 100'000);
    if (!body) {
        co_return text_answer(static_cast<unsigned>(std::stoul(body.error().field)),
                              body.error().message);
    }
    co_return text_answer(200, *body);
}

Awaitable<ServerResponse> respond(Scene* scene, ServerRequest request) {
    {
        const std::lock_guard lock(scene->mutex);
        scene->last = request;
    }
    if (request.path == "/echo") {
        co_return co_await echo_body(std::move(request));
    }
    if (request.path == "/bug") {
        throw std::runtime_error("broken on purpose");
    }
    if (request.path == "/slow") {
        Timer pause(co_await asio::this_coro::executor, 100ms);
        std::ignore = co_await pause.async_wait(as_result);
        co_return text_answer(200, "slow");
    }
    if (request.path == "/tap") {
        ServerResponse response;
        response.content_type = "text/plain";
        response.body = std::make_shared<TapBody>(scene->tap);
        co_return response;
    }
    if (request.path == "/none") {
        ServerResponse response;
        response.status = 204;
        co_return response;
    }
    co_return text_answer(200, "you asked for " + request.path);
}

class HttpServerTest : public testing::Test {
protected:
    void SetUp() override {
        settings.listen = "127.0.0.1:0";
        settings.on_fault = [this](std::string text) {
            const std::lock_guard lock(scene.mutex);
            scene.faults.push_back(std::move(text));
        };
    }

    void start() {
        auto made = HttpServer::create(
            io,
            settings,
            [this](ServerRequest request) { return respond(&scene, std::move(request)); },
            text_answer);
        ASSERT_TRUE(made) << made.error().message;
        server = std::move(*made);
        address = server->address();
        server->start();
        thread = std::thread([this] { io.run(); });
    }

    void stop(core::Duration grace) {
        if (!thread.joinable()) {
            return;
        }
        asio::co_spawn(io, server->stop(grace), asio::detached);
        work.reset();
        thread.join();
    }

    void TearDown() override { stop(0ms); }

    std::string ask(const std::string& request) {
        Peer peer(address);
        peer.say(request);
        return peer.answer();
    }

    static std::string get(const std::string& path, const std::string& more = "") {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
    }

    template <typename Condition>
    static bool eventually(Condition condition) {
        const auto until = std::chrono::steady_clock::now() + 5s;
        while (std::chrono::steady_clock::now() < until) {
            if (condition()) {
                return true;
            }
            std::this_thread::sleep_for(1ms);
        }
        return condition();
    }

    std::size_t connections() {
        std::promise<std::size_t> count;
        asio::post(io, [&] { count.set_value(server->connections()); });
        return count.get_future().get();
    }

    HttpServerSettings settings;
    Scene scene;
    asio::io_context io{1};
    asio::executor_work_guard<Executor> work{io.get_executor()};
    std::unique_ptr<HttpServer> server;
    std::string address;
    std::thread thread;
};

bool has_status(const std::string& answer, unsigned status) {
    return answer.starts_with("HTTP/1.1 " + std::to_string(status) + " ");
}

TEST_F(HttpServerTest, AnswersOneRequestAfterTheOtherOnOneConnection) {
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

TEST_F(HttpServerTest, AnswersPipelinedRequestsInTheirOrder) {
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

TEST_F(HttpServerTest, TakesARequestByteByByte) {
    start();
    Peer peer(address);
    for (const char c : get("/drip")) {
        peer.say({&c, 1});
    }
    EXPECT_TRUE(peer.answer().ends_with("/drip"));
}

TEST_F(HttpServerTest, TakesTargetAndHeadersApart) {
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

TEST_F(HttpServerTest, AnswersHeadLikeGetWithoutTheBody) {
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

TEST_F(HttpServerTest, ReadsAChunkedBodyAndIgnoresItsTrailer) {
    start();
    Peer peer(address);
    peer.say(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nHost: evil\r\n\r\n");
    EXPECT_TRUE(peer.answer().ends_with("abcde"));
    peer.say(get("/next"));
    EXPECT_TRUE(peer.answer().ends_with("/next"));
}

TEST_F(HttpServerTest, SaysContinueOnlyWhenTheBodyIsWanted) {
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

TEST_F(HttpServerTest, TellsABodyCutShortFromACompleteOne) {
    start();
    Peer peer(address);
    peer.say("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
    peer.finish_sending();
    EXPECT_TRUE(has_status(peer.answer(), 400));
}

TEST_F(HttpServerTest, LetsABodyOfTheLimitPassAndNotOneByteMore) {
    start();
    const auto post = [&](std::size_t bytes) {
        return ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                   std::to_string(bytes) + "\r\n\r\n" + std::string(bytes, 'x'));
    };
    EXPECT_TRUE(has_status(post(100'000), 200));
    EXPECT_TRUE(has_status(post(100'001), 413));
}

TEST_F(HttpServerTest, AnswersAnUploadThatNobodyReadsBeforeItCloses) {
    start();
    Peer peer(address);
    peer.say("POST /ignored HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n");
    peer.say(std::string(2'000'000, 'x'));
    EXPECT_TRUE(has_status(peer.answer(), 200));
}

TEST_F(HttpServerTest, RefusesADeclaredBodyAboveItsOwnLimit) {
    settings.max_body_bytes = 10;
    start();
    EXPECT_TRUE(has_status(
        ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n"), 413));
    EXPECT_TRUE(has_status(
        ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n0123456789"),
        200));
}

TEST_F(HttpServerTest, RefusesWhatIsNotHttp) {
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

TEST_F(HttpServerTest, LimitsTheHead) {
    settings.max_head_bytes = 1000;
    start();
    EXPECT_TRUE(has_status(ask(get("/", "X: " + std::string(900, 'x') + "\r\n")), 200));
    EXPECT_TRUE(has_status(ask(get("/", "X: " + std::string(1000, 'x') + "\r\n")), 431));
    EXPECT_TRUE(has_status(ask("GET /" + std::string(2000, 'x')), 431));
}

TEST_F(HttpServerTest, LimitsAChunkExtension) {
    settings.max_head_bytes = 1000;
    start();
    EXPECT_TRUE(has_status(
        ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
            std::string(100'000, 'x')),
        400));
}

TEST_F(HttpServerTest, RefusesAHostThatCouldBeARebinding) {
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

TEST_F(HttpServerTest, TakesAnyHostWhenItIsNotToldToCheck) {
    settings.check_host = false;
    start();
    EXPECT_TRUE(has_status(ask("GET / HTTP/1.1\r\nHost: pod.example\r\n\r\n"), 200));
}

TEST_F(HttpServerTest, ClosesAfterHttp10AndOnRequest) {
    start();
    Peer old(address);
    old.say("GET /a HTTP/1.0\r\n\r\n");
    EXPECT_TRUE(old.until_closed().ends_with("/a"));
    Peer asked(address);
    asked.say(get("/b", "Connection: close\r\n") + get("/c"));
    EXPECT_TRUE(asked.until_closed().ends_with("/b"));
}

TEST_F(HttpServerTest, AnswersAClientThatHasFinishedSending) {
    start();
    Peer peer(address);
    peer.say(get("/slow"));
    peer.finish_sending();
    EXPECT_TRUE(peer.answer().ends_with("slow"));
}

TEST_F(HttpServerTest, TimesOutASlowHeadButNotASilentConnection) {
    settings.request_timeout = 50ms;
    start();
    Peer silent(address);
    Peer slow(address);
    slow.say("GET / HT");
    EXPECT_TRUE(has_status(slow.answer(), 408));
    silent.say(get("/still-there"));
    EXPECT_TRUE(silent.answer().ends_with("/still-there"));
}

TEST_F(HttpServerTest, ClosesASilentConnectionWithoutAWord) {
    settings.idle_timeout = 50ms;
    start();
    Peer silent(address);
    EXPECT_EQ(silent.until_closed(), "");
    Peer used(address);
    used.say(get("/a"));
    EXPECT_TRUE(used.until_closed().ends_with("/a"));
}

TEST_F(HttpServerTest, GivesUpABodyThatStops) {
    settings.request_timeout = 50ms;
    start();
    Peer peer(address);
    peer.say("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
    EXPECT_TRUE(has_status(peer.answer(), 400));
}

TEST_F(HttpServerTest, StreamsInChunksAndGoesOn) {
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

TEST_F(HttpServerTest, StreamsToHttp10WithoutChunks) {
    scene.tap->pieces = 2;
    start();
    Peer peer(address);
    peer.say("GET /tap HTTP/1.0\r\n\r\n");
    EXPECT_TRUE(peer.until_closed().ends_with("\r\n\r\nxx"));
}

TEST_F(HttpServerTest, PullsNoFasterThanTheClientReads) {
    scene.tap->piece_bytes = 100'000;
    start();
    Peer peer(address, 4096);
    peer.say(get("/tap"));
    peer.until("\r\n\r\n");
    std::this_thread::sleep_for(50ms);
    EXPECT_LT(scene.tap->pulled, 200);  // of a million
}

TEST_F(HttpServerTest, CutsAStreamThatNobodyReads) {
    settings.write_timeout = 50ms;
    scene.tap->piece_bytes = 100'000;
    start();
    Peer peer(address, 4096);
    peer.say(get("/tap"));
    EXPECT_TRUE(eventually([&] { return scene.tap->destroyed.load(); }));
    EXPECT_TRUE(eventually([&] { return connections() == 0; }));
}

TEST_F(HttpServerTest, NoticesAClientThatLeavesASilentStream) {
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

// Lowers the limit of descriptors to what is open now.
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

TEST_F(HttpServerTest, NamesWhatItCannotListenOn) {
    for (const char* bad : {"",
                            "7460",
                            "127.0.0.1",
                            "127.0.0.1:",
                            "127.0.0.1:65536",
                            "127.0.0.1:-1",
                            "::1:80",
                            "[127.0.0.1]:80",
                            "name.example:80",
                            ":80",
                            "unix:",
                            "unix:relative"}) {
        settings.listen = bad;
        const auto made = HttpServer::create(io, settings, {}, {});
        ASSERT_FALSE(made) << bad;
        EXPECT_NE(made.error().message.find(std::string("\"") + bad + "\""), std::string::npos)
            << made.error().message;
    }
    settings.listen = "127.0.0.1:0";
    start();
    settings.listen = address;
    const auto taken = HttpServer::create(io, settings, {}, {});
    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().message.find(address), std::string::npos);
}

class UnixServerTest : public HttpServerTest {
protected:
    void SetUp() override {
        HttpServerTest::SetUp();
        folder = std::filesystem::temp_directory_path() / ("ome-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
        path = folder / "api.sock";
        settings.listen = "unix:" + path.string();
    }
    void TearDown() override {
        HttpServerTest::TearDown();
        server.reset();
        std::filesystem::remove_all(folder);
    }

    std::filesystem::path folder;
    std::filesystem::path path;
};

TEST_F(UnixServerTest, ServesAnyHostOnAFileOfItsOwnersOnly) {
    start();
    struct stat made {};
    ASSERT_EQ(::stat(path.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777U, 0600U);
    EXPECT_EQ(address, "unix:" + path.string());
    EXPECT_TRUE(ask("GET /a HTTP/1.1\r\nHost: anything\r\n\r\n").ends_with("/a"));
    stop(0ms);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(UnixServerTest, ReplacesTheSocketOfACrashedPredecessor) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.string().copy(name.sun_path, sizeof name.sun_path - 1);
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    ::close(fd);
    start();
    EXPECT_TRUE(ask(get("/a")).ends_with("/a"));
}

TEST_F(UnixServerTest, LeavesALivingServerAndAForeignFileAlone) {
    start();
    const auto second = HttpServer::create(io, settings, {}, {});
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("another process listens"), std::string::npos);
    EXPECT_TRUE(ask(get("/a")).ends_with("/a"));

    settings.listen = "unix:" + (folder / "file").string();
    std::ofstream(folder / "file") << "precious";
    EXPECT_FALSE(HttpServer::create(io, settings, {}, {}));
    EXPECT_TRUE(std::filesystem::exists(folder / "file"));
}

TEST_F(UnixServerTest, DoesNotRemoveAFileThatReplacedItsOwn) {
    start();
    std::filesystem::remove(path);
    std::ofstream(path) << "someone else's";
    stop(0ms);
    EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace ome::net
