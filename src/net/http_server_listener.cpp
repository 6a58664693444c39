#include "http_server_listener.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>

namespace ome::net {
namespace {

using boost::system::error_code;

StreamProtocol::endpoint endpoint_of(const ListenAddress& address) {
    if (address.is_unix()) {
        return asio::local::stream_protocol::endpoint(address.unix_path);
    }
    return asio::ip::tcp::endpoint(asio::ip::make_address(address.host), address.port);
}

core::Problem cannot(const ListenAddress& address, std::string_view why) {
    return {fmt::format("cannot listen on {}: {}", to_string(address), why), "listen"};
}

bool somebody_listens(asio::io_context& io, const ListenAddress& address) {
    StreamSocket probe(io);
    error_code error;
    probe.connect(endpoint_of(address), error);
    return error != asio::error::connection_refused;
}

// Only a socket is ever removed, and only one that refuses connections: the file of a crashed
// predecessor. Two processes that start in the same instant may both come here; the later one wins
// the name.
std::optional<core::Problem> clear_stale_file(asio::io_context& io, const ListenAddress& address) {
    struct stat found {};
    if (::lstat(address.unix_path.c_str(), &found) != 0) {
        return std::nullopt;
    }
    if (!S_ISSOCK(found.st_mode)) {
        return cannot(address, "the file exists and is not a socket");
    }
    if (somebody_listens(io, address)) {
        return cannot(address, "another process listens on it");
    }
    ::unlink(address.unix_path.c_str());
    return std::nullopt;
}

asio::ip::tcp::endpoint tcp_endpoint(const StreamProtocol::endpoint& from) {
    asio::ip::tcp::endpoint to;
    if (from.size() <= to.capacity()) {
        std::memcpy(to.data(), from.data(), from.size());
        to.resize(from.size());
    }
    return to;
}

}  // namespace

Listener::Listener(asio::io_context& io, ListenAddress address)
    : acceptor_(io), address_(std::move(address)) {}

Listener::~Listener() {
    close();
}

core::Result<std::unique_ptr<Listener>> Listener::open(asio::io_context& io,
                                                       const ListenAddress& address) {
    if (address.is_unix()) {
        if (auto problem = clear_stale_file(io, address)) {
            return *problem;
        }
    }
    std::unique_ptr<Listener> listener(new Listener(io, address));
    if (const error_code error = listener->bind()) {
        return cannot(address, error.message());
    }
    listener->remember();
    return listener;
}

error_code Listener::bind() {
    const auto endpoint = endpoint_of(address_);
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error && !address_.is_unix()) {
        acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    }
    if (!error && address_.is_unix()) {
        // bind() gives the file the mode of the socket, so it is never open to others, not even for
        // a moment; a umask would change the whole process.
        ::fchmod(acceptor_.native_handle(), S_IRUSR | S_IWUSR);
    }
    if (!error) {
        acceptor_.bind(endpoint, error);
    }
    if (!error) {
        acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    return error;
}

void Listener::remember() {
    if (address_.is_unix()) {
        ::lstat(address_.unix_path.c_str(), &made_);
        return;
    }
    error_code error;
    address_.port = tcp_endpoint(acceptor_.local_endpoint(error)).port();
}

void Listener::close() {
    if (!acceptor_.is_open()) {
        return;
    }
    error_code error;
    acceptor_.close(error);
    struct stat found {};
    if (address_.is_unix() && ::lstat(address_.unix_path.c_str(), &found) == 0 &&
        found.st_ino == made_.st_ino && found.st_dev == made_.st_dev) {
        ::unlink(address_.unix_path.c_str());
    }
}

std::string local_literal(const StreamSocket& socket) {
    error_code error;
    const auto endpoint = socket.local_endpoint(error);
    const int family = endpoint.protocol().family();
    if (error || (family != AF_INET && family != AF_INET6)) {
        return {};
    }
    asio::ip::address address = tcp_endpoint(endpoint).address();
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
    }
    return address.to_string();
}

}  // namespace ome::net
