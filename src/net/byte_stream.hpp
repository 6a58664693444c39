// A connected stream socket, plain or with TLS, for the server of the local API and its command
// line client. Whoever uses it owns the deadlines: cancel() breaks off what waits.
#pragma once

#include "tls.hpp"
#include <ome/net/awaitable.hpp>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ome::net {

using StreamProtocol = asio::generic::stream_protocol;
using StreamSocket = asio::basic_stream_socket<StreamProtocol, Executor>;

class ByteStream {
public:
    explicit ByteStream(StreamSocket socket);
    ~ByteStream();
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;

    struct Moved {
        boost::system::error_code error;
        std::size_t bytes = 0;
    };

    /// The handshake of a server. False: there is nobody to talk to.
    Awaitable<bool> accept_tls(SSL_CTX& context);
    /// The handshake of a client with `host`. False: see problem().
    Awaitable<bool> connect_tls(SSL_CTX& context, std::string host);

    /// At least one byte, or an error; `eof` is the proper end. One read at a time, beside one
    /// write.
    Awaitable<Moved> read_some(char* into, std::size_t size);
    /// All of it, or an error.
    Awaitable<Moved> write(std::string_view bytes);

    /// TLS's goodbye, if there is TLS, and FIN.
    void end_writing();
    void cancel();
    void close();

    [[nodiscard]] StreamSocket& socket() { return socket_; }
    /// Why TLS failed, in words; empty when it did not.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    Awaitable<bool> shake_hands();
    Awaitable<Moved> read_tls(char* into, std::size_t size);
    Awaitable<Moved> write_tls(std::string_view bytes);
    Awaitable<boost::system::error_code> retry(int result);
    Awaitable<boost::system::error_code> leave_others_their_turn();

    StreamSocket socket_;
    TlsTalk talk_;
    SslPtr ssl_;
    std::uint64_t turn_began_ = 0;  // in bytes that TLS has received
    bool cancelled_ = false;
    std::string host_;
    std::string problem_;
};

}  // namespace ome::net
