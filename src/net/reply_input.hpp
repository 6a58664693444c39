// The bytes of an answer that go through Beast's parser: shared by the clients of our own API and
// of Kubernetes.
#pragma once

#include "parser_feed.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/optional/optional.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ome::net {

/// A body in a string that grows with what arrives. Beast's own makes room for whatever length is
/// declared: ten terabytes, and std::bad_alloc ends the process.
struct ArrivingBody {
    using value_type = std::string;

    class reader {
    public:
        template <bool is_request, typename Fields>
        reader(boost::beast::http::header<is_request, Fields>&, std::string& body) : body_(body) {}

        void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) {
            error = {};
        }

        template <typename Buffers>
        std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
            error = {};
            std::size_t bytes = 0;
            for (auto at = boost::asio::buffer_sequence_begin(buffers);
                 at != boost::asio::buffer_sequence_end(buffers);
                 ++at) {
                const boost::asio::const_buffer piece = *at;
                body_.append(static_cast<const char*>(piece.data()), piece.size());
                bytes += piece.size();
            }
            return bytes;
        }

        void finish(boost::system::error_code& error) { error = {}; }

    private:
        std::string& body_;
    };
};

/// Of a head, of a chunk's extension, and of the trailers.
constexpr std::size_t most_reply_line_bytes = 65536;

class ReplyParser : public boost::beast::http::response_parser<ArrivingBody> {
public:
    FramingBound framing{2 * most_reply_line_bytes};  ///< the head and more
};

/// Gives the parser, which must not be eager, what has come, and keeps in `input` what it cannot
/// use yet. Beast bounds a head only: an extension or trailers without an end would stay there for
/// good.
inline boost::system::error_code take_reply(ReplyParser& parser, std::string& input) {
    const std::size_t input_before = input.size();
    const std::size_t body_before = parser.get().body().size();
    const boost::system::error_code error = feed(parser, input);
    if (error) {
        return error;
    }
    const bool bounded =
        parser.framing.count(input_before - input.size(), parser.get().body().size() - body_before);
    const bool endless = !parser.is_done() && input.size() > most_reply_line_bytes;
    return endless || !bounded ? boost::beast::http::error::header_limit
                               : boost::system::error_code();
}

}  // namespace ome::net
