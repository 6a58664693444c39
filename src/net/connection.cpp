#include "connection.hpp"

#include "error_text.hpp"
#include "socket_bio.hpp"

#include <boost/asio/error.hpp>
#include <openssl/err.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace ome::net {
namespace {

int ssl_size(std::size_t size) {
    constexpr std::size_t most = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(size, most));
}

void forget_errors() {
    ERR_clear_error();
    errno = 0;
}

}  // namespace

Connection::Connection(std::unique_ptr<EventSocket> socket) : socket_(std::move(socket)) {}

Connection::~Connection() {
    close();
}

void Connection::close() {
    if (ssl_ != nullptr) {
        SSL_shutdown(ssl_.get());  // quiet: writes nothing
        ssl_.reset();
    }
    socket_->close();
}

void Connection::close_at_once() {
    ssl_.reset();
    socket_->close_at_once();
}

void Connection::note(const boost::system::error_code& error) {
    problem_ = words(error);
}

WriteEnd Connection::write(std::string_view& bytes) {
    if (is_tls()) {
        return write_tls(bytes);
    }
    while (!bytes.empty()) {
        const Moved moved = socket_->send(bytes);
        if (moved.blocked) {
            wanted_ = EventSocket::Wanted::Write;
            return WriteEnd::Blocked;
        }
        if (moved.error) {
            note(moved.error);
            return WriteEnd::Failed;
        }
        bytes.remove_prefix(moved.bytes);
    }
    return WriteEnd::Done;
}

ReadResult Connection::read(char* into, std::size_t size) {
    if (is_tls()) {
        return read_tls(into, size);
    }
    const Moved moved = socket_->receive(into, size);
    if (moved.blocked) {
        wanted_ = EventSocket::Wanted::Read;
        return {0, ReadEnd::Blocked};
    }
    if (moved.error == asio::error::eof) {
        return {0, ReadEnd::End};
    }
    if (moved.error) {
        note(moved.error);
        return {0, ReadEnd::Failed};
    }
    return {moved.bytes, ReadEnd::More};
}

Awaitable<bool> Connection::handshake(SSL_CTX& trust, std::string host, Operation& operation) {
    host_ = std::move(host);
    ssl_ = open_tls(trust, bio_of(*socket_), host_);
    if (ssl_ == nullptr) {
        problem_ = "TLS: out of memory";
        co_return false;
    }
    talk_.listen_to(*ssl_);
    for (;;) {
        forget_errors();
        const int result = SSL_do_handshake(ssl_.get());
        if (result == 1) {
            expiry_ = net::certificate_expiry(*ssl_);
            co_return true;
        }
        if (!may_retry_tls(result)) {
            expiry_ = net::certificate_expiry(*ssl_);
            co_return false;
        }
        if (!co_await wait(operation)) {
            co_return false;
        }
    }
}

WriteEnd Connection::write_tls(std::string_view& bytes) {
    talk_.start_over();
    while (!bytes.empty()) {
        forget_errors();
        const int result = SSL_write(ssl_.get(), bytes.data(), ssl_size(bytes.size()));
        if (result > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(result));
        } else {
            return may_retry_tls(result) ? WriteEnd::Blocked : WriteEnd::Failed;
        }
    }
    return WriteEnd::Done;
}

ReadResult Connection::read_tls(char* into, std::size_t size) {
    forget_errors();
    const int bytes = SSL_read(ssl_.get(), into, ssl_size(size));
    const int error_number = errno;
    if (bytes > 0) {
        return {static_cast<std::size_t>(bytes), ReadEnd::More};
    }
    if (talk_.endless()) {
        problem_ = TlsTalk::problem;
        return {0, ReadEnd::Failed};
    }
    const int error = SSL_get_error(ssl_.get(), bytes);
    if (error == SSL_ERROR_ZERO_RETURN) {
        return {0, ReadEnd::End};
    }
    if (is_truncation(error, error_number)) {
        return {0, ReadEnd::Truncated};
    }
    errno = error_number;
    return {0, may_retry_tls(bytes) ? ReadEnd::Blocked : ReadEnd::Failed};
}

// Whether a wait may help; otherwise problem() says what is wrong.
bool Connection::may_retry_tls(int result) {
    const int error_number = errno;
    if (talk_.endless()) {
        problem_ = TlsTalk::problem;
        return false;
    }
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        wanted_ =
            error == SSL_ERROR_WANT_READ ? EventSocket::Wanted::Read : EventSocket::Wanted::Write;
        return true;
    }
    problem_ = tls_problem(*ssl_, error, error_number, host_);
    return false;
}

bool Connection::is_quiet() {
    if (!is_tls()) {
        return !socket_->has_news();
    }
    if (SSL_has_pending(ssl_.get()) == 0 && !socket_->has_news()) {
        return true;
    }
    forget_errors();
    char byte = 0;
    const int result = SSL_read(ssl_.get(), &byte, 1);
    const bool harmless = result <= 0 && SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
    ERR_clear_error();
    return harmless && !talk_.endless() && !socket_->has_news();
}

}  // namespace ome::net
