#include "byte_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <openssl/err.h>

#include <algorithm>
#include <cerrno>

namespace ome::net {
namespace {

using boost::system::error_code;

constexpr std::size_t most_at_once = std::size_t{1} << 20;

// TLS reads without the loop as long as the peer is faster; then others have their turn.
constexpr std::uint64_t most_bytes_a_turn = 65536;

int ssl_size(std::size_t size) {
    return static_cast<int>(std::min(size, most_at_once));
}

void forget_errors() {
    ERR_clear_error();
    errno = 0;
}

}  // namespace

ByteStream::ByteStream(StreamSocket socket) : socket_(std::move(socket)) {}

ByteStream::~ByteStream() {
    close();
}

void ByteStream::cancel() {
    cancelled_ = true;
    error_code ignored;
    socket_.cancel(ignored);
}

// Without the TLS of it first, a later call would write to whoever has the descriptor by then.
void ByteStream::close() {
    ssl_.reset();
    error_code ignored;
    socket_.close(ignored);
}

void ByteStream::end_writing() {
    if (ssl_ != nullptr && SSL_is_init_finished(ssl_.get()) == 1) {
        SSL_shutdown(ssl_.get());
        ERR_clear_error();
    }
    error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
}

Awaitable<bool> ByteStream::accept_tls(SSL_CTX& context) {
    ERR_clear_error();
    ssl_.reset(SSL_new(&context));
    error_code error;
    socket_.non_blocking(true, error);
    if (error || ssl_ == nullptr || SSL_set_fd(ssl_.get(), socket_.native_handle()) != 1) {
        co_return false;
    }
    SSL_set_accept_state(ssl_.get());
    co_return co_await shake_hands();
}

Awaitable<bool> ByteStream::connect_tls(SSL_CTX& context, std::string host) {
    host_ = std::move(host);
    error_code error;
    socket_.non_blocking(true, error);
    ssl_ = error ? nullptr : open_tls(context, socket_.native_handle(), host_);
    if (ssl_ == nullptr) {
        problem_ = "TLS: out of memory";
        co_return false;
    }
    co_return co_await shake_hands();
}

Awaitable<bool> ByteStream::shake_hands() {
    talk_.listen_to(*ssl_);
    while (ssl_ != nullptr) {
        forget_errors();
        const int result = SSL_do_handshake(ssl_.get());
        if (result == 1) {
            co_return true;
        }
        const error_code error = co_await retry(result);
        if (error) {
            co_return false;
        }
    }
    co_return false;
}

Awaitable<ByteStream::Moved> ByteStream::read_some(char* into, std::size_t size) {
    if (ssl_ != nullptr) {
        co_return co_await read_tls(into, size);
    }
    const auto [error, bytes] =
        co_await socket_.async_read_some(asio::buffer(into, size), as_result);
    co_return Moved{error, bytes};
}

Awaitable<ByteStream::Moved> ByteStream::write(std::string_view bytes) {
    if (ssl_ != nullptr) {
        co_return co_await write_tls(bytes);
    }
    const auto [error, count] = co_await asio::async_write(socket_, asio::buffer(bytes), as_result);
    co_return Moved{error, count};
}

Awaitable<ByteStream::Moved> ByteStream::read_tls(char* into, std::size_t size) {
    if (ssl_ != nullptr &&
        BIO_number_read(SSL_get_rbio(ssl_.get())) - turn_began_ > most_bytes_a_turn) {
        const error_code error = co_await leave_others_their_turn();
        if (error) {
            co_return Moved{error, 0};
        }
    }
    while (ssl_ != nullptr) {
        forget_errors();
        const int bytes = SSL_read(ssl_.get(), into, ssl_size(size));
        if (bytes > 0) {
            co_return Moved{{}, static_cast<std::size_t>(bytes)};
        }
        const error_code error = co_await retry(bytes);
        if (error) {
            co_return Moved{error, 0};
        }
    }
    co_return Moved{asio::error::bad_descriptor, 0};
}

Awaitable<ByteStream::Moved> ByteStream::write_tls(std::string_view bytes) {
    Moved moved;
    talk_.start_over();
    while (ssl_ != nullptr && moved.bytes < bytes.size()) {
        forget_errors();
        const std::string_view rest = bytes.substr(moved.bytes);
        const int count = SSL_write(ssl_.get(), rest.data(), ssl_size(rest.size()));
        if (count > 0) {
            moved.bytes += static_cast<std::size_t>(count);
            continue;
        }
        moved.error = co_await retry(count);
        if (moved.error) {
            co_return moved;
        }
    }
    if (moved.bytes < bytes.size()) {
        moved.error = asio::error::bad_descriptor;
    }
    co_return moved;
}

Awaitable<error_code> ByteStream::leave_others_their_turn() {
    cancelled_ = false;
    co_await asio::post(socket_.get_executor(), asio::use_awaitable_t<Executor>());
    if (ssl_ != nullptr) {
        turn_began_ = BIO_number_read(SSL_get_rbio(ssl_.get()));
    }
    co_return cancelled_ ? error_code(asio::error::operation_aborted) : error_code();
}

// No error: the call may be made again.
Awaitable<error_code> ByteStream::retry(int result) {
    const int error_number = errno;
    if (talk_.endless()) {
        problem_ = TlsTalk::problem;
        co_return asio::error::connection_aborted;
    }
    const int reason = SSL_get_error(ssl_.get(), result);
    if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) {
        const auto what =
            reason == SSL_ERROR_WANT_READ ? StreamSocket::wait_read : StreamSocket::wait_write;
        const auto [error] = co_await socket_.async_wait(what, as_result);
        turn_began_ = ssl_ == nullptr ? 0 : BIO_number_read(SSL_get_rbio(ssl_.get()));
        co_return error;
    }
    if (reason == SSL_ERROR_ZERO_RETURN) {
        co_return asio::error::eof;
    }
    problem_ = tls_problem(*ssl_, reason, error_number, host_);
    co_return asio::error::connection_aborted;
}

}  // namespace ome::net
