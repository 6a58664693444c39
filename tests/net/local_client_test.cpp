#include <ome/net/http_server.hpp>
#include <ome/net/local_client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

class ThreePieces : public ResponseBody {
public:
    Awaitable<std::optional<std::string>> next() override {
        if (left_-- == 0) {
            co_return std::nullopt;
        }
        co_return std::string("piece ");
    }

private:
    int left_ = 3;
};

ServerResponse answer(unsigned status, std::string text) {
    ServerResponse response;
    response.status = status;
    response.content_type = "text/plain";
    response.body = std::move(text);
    return response;
}

Awaitable<ServerResponse> respond(ServerRequest request) {
    if (request.path == "/stream") {
        ServerResponse response;
        response.body = std::make_shared<ThreePieces>();
        co_return response;
    }
    if (request.path == "/large") {
        co_return answer(200, std::string(100'000, 'x'));
    }
    co_return request.path == "/404" ? answer(404, "no") : answer(200, request.query["q"]);
}

class LocalClientTest : public testing::Test {
protected:
    void start(const std::string& listen) {
        HttpServerSettings settings;
        settings.listen = listen;
        server = std::move(HttpServer::create(io, settings, respond, answer).value());
        server->start();
        thread = std::thread([this] { io.run(); });
    }
    void TearDown() override {
        if (thread.joinable()) {
            asio::co_spawn(io, server->stop(0ms), asio::detached);
            work.reset();
            thread.join();
        }
    }
    [[nodiscard]] LocalUrl url() const {
        const std::string at = server->address();
        return parse_local_url(at.starts_with("unix:") ? at : "http://" + at).value();
    }

    asio::io_context io{1};
    asio::executor_work_guard<Executor> work{io.get_executor()};
    std::unique_ptr<HttpServer> server;
    std::thread thread;
};

TEST_F(LocalClientTest, GetsStatusAndBody) {
    start("127.0.0.1:0");
    const auto reply = get_locally(url(), "/a?q=hello");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->status, 200U);
    EXPECT_EQ(reply->body, "hello");
    EXPECT_EQ(get_locally(url(), "/404")->status, 404U);
    EXPECT_EQ(get_locally(url(), "/large")->body.size(), 100'000U);
    EXPECT_EQ(get_locally(url(), "/stream")->body, "piece piece piece ");
}

TEST_F(LocalClientTest, GetsThroughAUnixSocket) {
    const auto path =
        std::filesystem::temp_directory_path() / ("ome-client-" + std::to_string(::getpid()));
    start("unix:" + path.string());
    EXPECT_EQ(get_locally(url(), "/a?q=hi")->body, "hi");
}

TEST_F(LocalClientTest, GivesUpOnAServerThatSaysNothing) {
    start("127.0.0.1:0");
    asio::io_context other(1);
    HttpServerSettings settings;
    settings.listen = "127.0.0.1:0";
    auto silent = HttpServer::create(other, settings, respond, answer);
    ASSERT_TRUE(silent);
    const auto at = parse_local_url("http://" + (*silent)->address()).value();
    LocalLimits limits;
    limits.timeout = 50ms;
    EXPECT_THAT(get_locally(at, "/", limits).error().message, testing::HasSubstr("timed out"));
    (*silent)->start();
    std::thread closing([&] {
        asio::co_spawn(other, (*silent)->stop(0ms), asio::detached);
        other.run();
    });
    closing.join();
    EXPECT_FALSE(get_locally(at, "/", limits));
}

TEST_F(LocalClientTest, TakesNoMoreThanItsLimit) {
    start("127.0.0.1:0");
    LocalLimits limits;
    limits.max_body_bytes = 99'999;
    EXPECT_FALSE(get_locally(url(), "/large", limits));
    limits.max_body_bytes = 100'000;
    EXPECT_TRUE(get_locally(url(), "/large", limits));
}

TEST(LocalClient, NamesAServerThatIsNotThere) {
    const auto reply = get_locally(parse_local_url("unix:/nonexistent/ome.sock").value(), "/");
    ASSERT_FALSE(reply);
    EXPECT_TRUE(reply.error().message.starts_with("cannot reach unix:/nonexistent/ome.sock: "))
        << reply.error().message;
}

TEST(LocalClient, TakesAUrlApart) {
    EXPECT_EQ(parse_local_url("http://[::1]:7460/")->host, "::1");
    EXPECT_EQ(parse_local_url("http://localhost:1")->port, 1);
    EXPECT_FALSE(parse_local_url("http://localhost:1")->https);
    EXPECT_TRUE(parse_local_url("https://localhost:1")->https);
    EXPECT_EQ(parse_local_url("https://localhost:1")->host, "localhost");
    EXPECT_EQ(parse_local_url("unix:/run/x")->unix_path, "/run/x");
    for (const char* bad : {"",
                            "http://",
                            "http://x",
                            "http://:1",
                            "http://x:0",
                            "http://x:65536",
                            "https://x",
                            "http://x:1/path",
                            "unix:x",
                            "http://a b:1"}) {
        const auto url = parse_local_url(bad);
        ASSERT_FALSE(url) << bad;
        EXPECT_NE(url.error().message.find(std::string("\"") + bad + "\""), std::string::npos);
    }
    EXPECT_THAT(parse_local_url("http://me:s3cret@x:1").error().message,
                testing::HasSubstr("url \"http://***@x:1\" must be http://HOST:PORT"));
}

}  // namespace
}  // namespace ome::net
