#include "connection.hpp"

#include "error_text.hpp"

#include <boost/asio/buffer.hpp>
#include <openssl/err.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace ome::net {
namespace {

bool would_block(const boost::system::error_code& error) {
    return error == asio::error::would_block || error == asio::error::try_again;
}

int ssl_size(std::size_t size) {
    constexpr std::size_t most = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(size, most));
}

Awaitable<bool> failed() {
    co_return false;
}

}  // namespace

Connection::Connection(Socket socket) : socket_(std::move(socket)) {}

Connection::~Connection() {
    close();
}

void Connection::cancel() {
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void Connection::close() {
    if (ssl_ != nullptr) {
        SSL_shutdown(ssl_.get());  // quiet: writes nothing
        ssl_.reset();
    }
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void Connection::note(const boost::system::error_code& error) {
    problem_ = words(error);
}

Awaitable<bool> Connection::wait(Socket::wait_type what, Operation& operation) {
    if (operation.over()) {
        co_return false;
    }
    const CancelOnEnd hook(operation, *this);
    const auto [error] = co_await socket_.async_wait(what, as_result);
    if (error) {
        note(error);
    }
    co_return !error;
}

Awaitable<bool> Connection::write(std::string_view bytes, Operation& operation) {
    return is_tls() ? write_tls(bytes, operation) : write_plain(bytes, operation);
}

Awaitable<ReadResult> Connection::read(char* into, std::size_t size, Operation& operation) {
    return is_tls() ? read_tls(into, size, operation) : read_plain(into, size, operation);
}

Awaitable<bool> Connection::write_plain(std::string_view bytes, Operation& operation) {
    while (!bytes.empty()) {
        boost::system::error_code error;
        bytes.remove_prefix(socket_.send(asio::buffer(bytes), 0, error));
        if (would_block(error)) {
            if (!co_await wait(Socket::wait_write, operation)) {
                co_return false;
            }
        } else if (error) {
            note(error);
            co_return false;
        }
    }
    co_return true;
}

Awaitable<ReadResult> Connection::read_plain(char* into, std::size_t size, Operation& operation) {
    ReadResult result;
    if (operation.over()) {
        co_return result;
    }
    const CancelOnEnd hook(operation, *this);
    const auto [error, bytes] = co_await socket_.async_receive(asio::buffer(into, size), as_result);
    result.bytes = bytes;
    if (!error) {
        result.end = ReadEnd::More;
    } else if (error == asio::error::eof) {
        result.end = ReadEnd::End;
    } else {
        note(error);
    }
    co_return result;
}

Awaitable<bool> Connection::handshake(SSL_CTX& trust, std::string host, Operation& operation) {
    host_ = std::move(host);
    ssl_ = open_tls(trust, socket_.native_handle(), host_);
    if (ssl_ == nullptr) {
        problem_ = "TLS: out of memory";
        co_return false;
    }
    for (;;) {
        ERR_clear_error();
        errno = 0;
        const int result = SSL_do_handshake(ssl_.get());
        if (result == 1) {
            expiry_ = net::certificate_expiry(*ssl_);
            co_return true;
        }
        if (!co_await retry_tls(result, operation)) {
            co_return false;
        }
    }
}

Awaitable<bool> Connection::write_tls(std::string_view bytes, Operation& operation) {
    while (!bytes.empty()) {
        ERR_clear_error();
        errno = 0;
        const int result = SSL_write(ssl_.get(), bytes.data(), ssl_size(bytes.size()));
        if (result > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(result));
        } else if (!co_await retry_tls(result, operation)) {
            co_return false;
        }
    }
    co_return true;
}

Awaitable<ReadResult> Connection::read_tls(char* into, std::size_t size, Operation& operation) {
    ReadResult result;
    for (;;) {
        ERR_clear_error();
        errno = 0;
        const int bytes = SSL_read(ssl_.get(), into, ssl_size(size));
        const int error_number = errno;
        if (bytes > 0) {
            result.bytes = static_cast<std::size_t>(bytes);
            result.end = ReadEnd::More;
            co_return result;
        }
        const int error = SSL_get_error(ssl_.get(), bytes);
        if (error == SSL_ERROR_ZERO_RETURN) {
            result.end = ReadEnd::End;
            co_return result;
        }
        if (is_truncation(error, error_number)) {
            result.end = ReadEnd::Truncated;
            co_return result;
        }
        errno = error_number;
        if (!co_await retry_tls(bytes, operation)) {
            co_return result;
        }
    }
}

Awaitable<bool> Connection::retry_tls(int result, Operation& operation) {
    const int error_number = errno;
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ) {
        return wait(Socket::wait_read, operation);
    }
    if (error == SSL_ERROR_WANT_WRITE) {
        return wait(Socket::wait_write, operation);
    }
    problem_ = tls_problem(*ssl_, error, error_number, host_);
    return failed();
}

bool Connection::idle_bytes_are_harmless() {
    if (!is_tls()) {
        return false;
    }
    ERR_clear_error();
    char byte = 0;
    const int result = SSL_read(ssl_.get(), &byte, 1);
    const bool harmless = result <= 0 && SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
    ERR_clear_error();
    return harmless;
}

}  // namespace ome::net
