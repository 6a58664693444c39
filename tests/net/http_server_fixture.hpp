// A server on loopback with a handful of routes, and a client that says exactly what a test tells
// it.
#pragma once

#include <ome/net/http_server.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace ome::net {

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

inline ServerResponse text_answer(unsigned status, std::string text) {
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

inline Awaitable<ServerResponse> echo_body(ServerRequest request) {
    auto body = co_await read_all(request.body, 100'000);
    if (!body) {
        co_return text_answer(static_cast<unsigned>(std::stoul(body.error().field)),
                              body.error().message);
    }
    co_return text_answer(200, *body);
}

inline Awaitable<ServerResponse> respond(Scene* scene, ServerRequest request) {
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

inline bool has_status(const std::string& answer, unsigned status) {
    return answer.starts_with("HTTP/1.1 " + std::to_string(status) + " ");
}

}  // namespace ome::net
