#include "commands.hpp"
#include <ome/net/http_server.hpp>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

net::ServerResponse answer(unsigned status, std::string text) {
    net::ServerResponse response;
    response.status = status;
    response.content_type = "application/json";
    response.body = std::move(text);
    return response;
}

// An observer with two pages of services and a continue token that needs escaping.
net::Awaitable<net::ServerResponse> respond(net::ServerRequest request) {
    if (request.path == "/v1/status") {
        co_return answer(200, R"({"instance":"i","version":"9.9","services":2,
            "uptimeSeconds":32.384,"lateness":{"p50Seconds":0.003}})");
    }
    if (request.path != "/v1/services") {
        co_return answer(404, "{}");
    }
    const std::string token = request.query["continue"];
    if (token.empty()) {
        co_return answer(200,
                         R"({"instance":"i","services":[{"namespace":"a","name":"one","homes":[]}],
                     "continue":"a/b c"})");
    }
    co_return token == "a/b c"
        ? answer(200, R"({"instance":"i","services":[{"namespace":"b","name":"two","homes":[]}]})")
        : answer(400, "{}");
}

net::Awaitable<net::ServerResponse> respond_with_a_long_reason(net::ServerRequest request) {
    if (request.path == "/v1/status") {
        co_return answer(200, R"({"instance":"i"})");
    }
    co_return answer(200,
                     R"({"instance":"i","services":[{"namespace":"a","name":"one","homes":[
                        {"cluster":"c","capacity":{"fallbackReason":")" +
                         std::string(500, 'x') + R"("}}]}]})");
}

net::Awaitable<net::ServerResponse> respond_strangely(net::ServerRequest) {
    co_return answer(200, "<html>");
}

net::Awaitable<net::ServerResponse> respond_in_json(net::ServerRequest) {
    co_return answer(200, R"({"status":"UP","components":{}})");
}

net::Awaitable<net::ServerResponse> respond_without_services(net::ServerRequest) {
    co_return answer(200, R"({"instance":"i"})");
}

net::Awaitable<net::ServerResponse> respond_with_error(net::ServerRequest) {
    co_return answer(503, "{}");
}

class StatusCommandTest : public testing::Test {
protected:
    void serve(const net::Handler& handler) {
        net::HttpServerSettings settings;
        settings.listen = "127.0.0.1:0";
        server = std::move(net::HttpServer::create(io, settings, handler, answer).value());
        server->start();
        thread = std::thread([this] { io.run(); });
        url = "http://" + server->address();
    }
    void TearDown() override {
        if (thread.joinable()) {
            net::asio::co_spawn(io, server->stop(0ms), net::asio::detached);
            work.reset();
            thread.join();
        }
    }

    int run(std::vector<std::string> words) {
        CLI::App app;
        observer::Run chosen;
        add_status_command(app, chosen);
        words.insert(words.begin(), "status");
        std::reverse(words.begin(), words.end());
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        app.parse(words);
        const int code = chosen();
        out = testing::internal::GetCapturedStdout();
        err = testing::internal::GetCapturedStderr();
        return code;
    }

    net::asio::io_context io{1};
    net::asio::executor_work_guard<net::Executor> work{io.get_executor()};
    std::unique_ptr<net::HttpServer> server;
    std::thread thread;
    std::string url;
    std::string out;
    std::string err;
};

TEST_F(StatusCommandTest, ShowsAllPages) {
    serve(respond);
    EXPECT_EQ(run({"--url", url}), 0) << err;
    EXPECT_THAT(out, StartsWith("ome-observer 9.9  instance i  up 32s\n"));
    EXPECT_THAT(out, HasSubstr("a/one"));
    EXPECT_THAT(out, HasSubstr("b/two"));
    EXPECT_EQ(out.find('\x1b'), std::string::npos);  // this is no terminal
}

TEST_F(StatusCommandTest, GivesEverythingAsOneJsonObject) {
    serve(respond);
    EXPECT_EQ(run({"--url", url, "--output", "json"}), 0) << err;
    EXPECT_THAT(out, HasSubstr(R"("uptimeSeconds":32.384,"lateness":{"p50Seconds":0.003})"));
    const auto document = boost::json::parse(out);
    EXPECT_EQ(document.at("services").as_array().size(), 2U);
    EXPECT_EQ(document.at("status").at("version").as_string(), "9.9");
}

TEST_F(StatusCommandTest, CutsNothingWhereThereIsNoTerminal) {
    serve(respond_with_a_long_reason);
    EXPECT_EQ(run({"--url", url}), 0) << err;
    EXPECT_THAT(out, HasSubstr(std::string(500, 'x') + "\n"));
    EXPECT_EQ(run({"--url", url, "--wide"}), 0) << err;
    EXPECT_THAT(out, HasSubstr(std::string(500, 'x') + "\n"));
}

TEST_F(StatusCommandTest, SaysInOneLineThatNobodyAnswers) {
    EXPECT_EQ(run({"--url", "unix:/nonexistent/ome.sock"}), 1);
    EXPECT_THAT(err, StartsWith("ome-observer: cannot reach unix:/nonexistent/ome.sock: "));
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1);
    EXPECT_EQ(run({"--watch", "--url", "unix:/nonexistent/ome.sock"}), 1);
}

TEST_F(StatusCommandTest, SaysThatSomethingElseAnswers) {
    serve(respond_strangely);
    EXPECT_EQ(run({"--url", url}), 1);
    EXPECT_THAT(err, HasSubstr("not a JSON object"));
}

TEST_F(StatusCommandTest, SaysThatAForeignServerOfJsonIsNoObserver) {
    serve(respond_in_json);
    EXPECT_EQ(run({"--url", url}), 1);
    EXPECT_THAT(err, HasSubstr("/v1/status: the answer names no instance; is this an"));
    EXPECT_EQ(out, "");
}

TEST_F(StatusCommandTest, SaysThatAListIsMissing) {
    serve(respond_without_services);
    EXPECT_EQ(run({"--url", url}), 1);
    EXPECT_THAT(err, HasSubstr("/v1/services: the answer has no list of services"));
    EXPECT_EQ(out, "");
}

TEST_F(StatusCommandTest, SaysWhichRequestFailed) {
    serve(respond_with_error);
    EXPECT_EQ(run({"--url", url}), 1);
    EXPECT_THAT(err, HasSubstr("/v1/status: HTTP 503"));
}

TEST_F(StatusCommandTest, RefusesWrongUsage) {
    EXPECT_EQ(run({"--url", "ftp://x"}), 2);
    EXPECT_THAT(
        err,
        HasSubstr("--url \"ftp://x\" must be http://HOST:PORT, https://HOST:PORT or unix:/path"));
    EXPECT_EQ(run({"--watch", "--interval", "99ms"}), 2);
    EXPECT_THAT(err, HasSubstr("--interval \"99ms\" must be a duration from 100ms to 24h0m0s"));
    EXPECT_EQ(run({"--watch", "--interval", "25h"}), 2);
    EXPECT_EQ(run({"--ca-file", "/no/such.pem"}), 2);
    EXPECT_THAT(err, HasSubstr("--ca-file: /no/such.pem: No such file or directory"));
    EXPECT_EQ(run({"--token-file", "/no/such.token"}), 2);
    EXPECT_THAT(err, HasSubstr("--token-file: /no/such.token: No such file or directory"));
}

}  // namespace
}  // namespace ome::observer
