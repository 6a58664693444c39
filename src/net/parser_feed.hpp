// Feeding Beast's parsers, and staying out of a trap of theirs.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ome::net {

/// Whether `bytes` must not be given to the parser before more of them are there. Beast 1.81
/// asserts that a last chunk which it has seen begin comes with 5 bytes or more the next time: a
/// peer that sends `0`, CR, LF, and then one byte, would end the process.
template <bool is_request>
[[nodiscard]] bool must_wait(const boost::beast::http::basic_parser<is_request>& parser,
                             std::string_view bytes) {
    return bytes == "0\r\n" && parser.is_header_done() && parser.chunked();
}

/// Bounds what comes around the bytes of a message's body: the sizes of chunks, their extensions,
/// trailers. Chunks may be as small as they like, but each byte pays for so much only.
class FramingBound {
public:
    explicit FramingBound(std::uint64_t most) : most_(most) {}

    /// So many bytes were taken, and so many of them are the body's. False: out of bounds.
    [[nodiscard]] bool count(std::size_t taken, std::size_t body) {
        framing_ += taken - body;
        body_ += body;
        return framing_ <= most_ + body_ * most_around_a_byte;
    }

private:
    static constexpr std::uint64_t most_around_a_byte = 32;  // 16 digits, and two line ends

    std::uint64_t most_;
    std::uint64_t framing_ = 0;
    std::uint64_t body_ = 0;
};

/// Gives the parser all that it takes, and removes that from `input`. The parser must not be eager:
/// what is behind the head is to be looked at first. No error: more bytes are needed, or it is
/// done.
template <bool is_request>
[[nodiscard]] boost::system::error_code feed(boost::beast::http::basic_parser<is_request>& parser,
                                             std::string& input) {
    const std::string_view bytes = input;
    boost::system::error_code error;
    std::size_t used = 0;
    while (!error && !parser.is_done() && used < bytes.size() &&
           !must_wait(parser, bytes.substr(used))) {
        used += parser.put(boost::asio::buffer(bytes.substr(used)), error);
    }
    input.erase(0, used);
    return error == boost::beast::http::error::need_more ? boost::system::error_code() : error;
}

}  // namespace ome::net
