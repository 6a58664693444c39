// The listening socket: TCP or Unix, with the care a socket file needs.
#pragma once

#include "byte_stream.hpp"
#include <ome/net/awaitable.hpp>
#include <ome/net/listen_address.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <sys/stat.h>

namespace ome::net {

using StreamAcceptor = asio::basic_socket_acceptor<StreamProtocol, Executor>;

class Listener {
public:
    /// Binds and listens. A socket file that nobody answers on is replaced.
    [[nodiscard]] static core::Result<std::unique_ptr<Listener>> open(asio::io_context& io,
                                                                      const ListenAddress& address);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    [[nodiscard]] StreamAcceptor& acceptor() { return acceptor_; }
    [[nodiscard]] const ListenAddress& address() const { return address_; }

    /// Also removes the socket file, if it is still the one that this listener made.
    void close();

private:
    Listener(asio::io_context& io, ListenAddress address);
    [[nodiscard]] boost::system::error_code bind();
    void remember();

    StreamAcceptor acceptor_;
    ListenAddress address_;
    struct stat made_ {};
};

/// The literal of the address a connection came in on; empty for a Unix socket. An IPv4 address
/// mapped into IPv6 is told as IPv4.
[[nodiscard]] std::string local_literal(const StreamSocket& socket);

}  // namespace ome::net
