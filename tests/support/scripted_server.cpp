#include "support/scripted_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace ome::test {
namespace {

[[noreturn]] void give_up(const char* what) {
    std::perror(what);
    std::abort();
}

int listen_on(const std::string& address, std::uint16_t& port) {
    const bool v6 = address.find(':') != std::string::npos;
    const int listener = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_storage storage{};
    socklen_t size = 0;
    if (v6) {
        auto* to = reinterpret_cast<sockaddr_in6*>(&storage);
        to->sin6_family = AF_INET6;
        inet_pton(AF_INET6, address.c_str(), &to->sin6_addr);
        size = sizeof *to;
    } else {
        auto* to = reinterpret_cast<sockaddr_in*>(&storage);
        to->sin_family = AF_INET;
        inet_pton(AF_INET, address.c_str(), &to->sin_addr);
        size = sizeof *to;
    }
    auto* generic = reinterpret_cast<sockaddr*>(&storage);
    if (listener < 0 || bind(listener, generic, size) != 0 || listen(listener, 1024) != 0 ||
        getsockname(listener, generic, &size) != 0) {
        give_up("scripted server");
    }
    port = ntohs(v6 ? reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port
                    : reinterpret_cast<sockaddr_in*>(&storage)->sin_port);
    return listener;
}

}  // namespace

Peer::Peer(ScriptedServer& server, int socket, std::size_t index)
    : server_(server), socket_(socket), index_(index) {}

Peer::~Peer() {
    ssl_.reset();
    const std::lock_guard lock(server_.mutex_);
    std::erase(server_.open_, socket_);
    ::close(socket_);
}

std::ptrdiff_t Peer::receive(char* into, std::size_t size) {
    return ssl_ ? SSL_read(ssl_.get(), into, static_cast<int>(size)) : recv(socket_, into, size, 0);
}

std::string Peer::read_request() {
    std::array<char, 4096> buffer;
    std::size_t end = 0;
    while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
        const std::ptrdiff_t bytes = receive(buffer.data(), buffer.size());
        if (bytes <= 0) {
            return {};
        }
        pending_.append(buffer.data(), static_cast<std::size_t>(bytes));
    }
    std::string request = pending_.substr(0, end + 4);
    pending_.erase(0, end + 4);
    const std::lock_guard lock(server_.mutex_);
    server_.requests_.push_back(request);
    return request;
}

std::string Peer::read_bytes(std::size_t bytes) {
    std::array<char, 4096> buffer;
    while (pending_.size() < bytes) {
        const std::ptrdiff_t more = receive(buffer.data(), buffer.size());
        if (more <= 0) {
            break;
        }
        pending_.append(buffer.data(), static_cast<std::size_t>(more));
    }
    std::string read = pending_.substr(0, bytes);
    pending_.erase(0, bytes);
    return read;
}

bool Peer::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::ptrdiff_t sent =
            ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                 : send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void Peer::drip(std::string_view bytes, std::chrono::milliseconds gap) {
    for (const char& byte : bytes) {
        if (!write({&byte, 1}) || !pause(gap)) {
            return;
        }
    }
}

bool Peer::pause(std::chrono::milliseconds time) {
    pollfd watched{socket_, POLLRDHUP, 0};
    return poll(&watched, 1, static_cast<int>(time.count())) == 0;
}

void Peer::wait_until_gone() {
    std::array<char, 4096> buffer;
    while (receive(buffer.data(), buffer.size()) > 0) {
    }
}

void Peer::finish() {
    if (ssl_) {
        SSL_shutdown(ssl_.get());
    }
    finish_rudely();
}

void Peer::finish_rudely() {
    shutdown(socket_, SHUT_WR);
}

void Peer::reset() {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    const std::lock_guard lock(server_.mutex_);
    // The number stays taken until ~Peer, so that nobody else's socket can get it.
    const int placeholder = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    dup3(placeholder, socket_, O_CLOEXEC);
    ::close(placeholder);
}

bool Peer::start_tls(SSL_CTX& context) {
    ssl_.reset(SSL_new(&context));
    SSL_set_fd(ssl_.get(), socket_);
    return SSL_accept(ssl_.get()) == 1;
}

std::string Peer::server_name() const {
    const char* name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
    return name == nullptr ? "" : name;
}

bool Peer::resumed() const {
    return SSL_session_reused(ssl_.get()) == 1;
}

bool Peer::say_in_tls() {
    const bool newest = SSL_version(ssl_.get()) == TLS1_3_VERSION;
    return (newest ? SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED)
                   : SSL_renegotiate(ssl_.get())) == 1 &&
           SSL_do_handshake(ssl_.get()) == 1;
}

ScriptedServer::ScriptedServer(Script script, const std::string& address)
    : script_(std::move(script)),
      listener_(listen_on(address, port_)),
      acceptor_([this] { accept_all(); }) {
    // OpenSSL writes to a peer that has left without MSG_NOSIGNAL.
    std::signal(SIGPIPE, SIG_IGN);
}

ScriptedServer::ScriptedServer(std::shared_ptr<SSL_CTX> context, Script script)
    : ScriptedServer([context = std::move(context), script = std::move(script)](Peer& peer) {
          if (peer.start_tls(*context)) {
              script(peer);
          }
      }) {}

ScriptedServer::~ScriptedServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    {
        const std::lock_guard lock(mutex_);
        for (const int socket : open_) {
            shutdown(socket, SHUT_RDWR);
        }
    }
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ScriptedServer::accept_all() {
    for (;;) {
        const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0 && errno == EMFILE) {  // a test has taken them all
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        if (socket < 0) {
            return;
        }
        const std::lock_guard lock(mutex_);
        open_.push_back(socket);
        const std::size_t index = accepted_++;
        threads_.emplace_back([this, socket, index] { serve(socket, index); });
    }
}

void ScriptedServer::serve(int socket, std::size_t index) {
    Peer peer(*this, socket, index);
    script_(peer);
}

std::size_t ScriptedServer::connections() const {
    const std::lock_guard lock(mutex_);
    return accepted_;
}

std::vector<std::string> ScriptedServer::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void ScriptedServer::wait_for_all() {
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (open_.empty()) {
                return;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

std::string response(std::string_view body, std::string_view headers, std::string_view status) {
    std::string text = "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: ";
    text += std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n";
    return text + std::string(body);
}

ScriptedServer::Script answer_all(std::string bytes) {
    return [bytes = std::move(bytes)](Peer& peer) {
        while (!peer.read_request().empty() && peer.write(bytes)) {
        }
    };
}

std::uint16_t refused_port() {
    std::uint16_t port = 0;
    ::close(listen_on("127.0.0.1", port));
    return port;
}

}  // namespace ome::test
