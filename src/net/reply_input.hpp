// The bytes of an answer that go through Beast's parser: shared by the clients of our own API and
// of Kubernetes.
#pragma once

#include "parser_feed.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <string>

namespace ome::net {

using ReplyParser = boost::beast::http::response_parser<boost::beast::http::string_body>;

/// Of a head, of a chunk's extension, and of the trailers.
constexpr std::size_t most_reply_line_bytes = 65536;

/// Gives the parser, which must not be eager, what has come, and keeps in `input` what it cannot
/// use yet. Beast bounds a head only: an extension or trailers without an end would stay there for
/// good.
inline boost::system::error_code take_reply(ReplyParser& parser, std::string& input) {
    const boost::system::error_code error = feed(parser, input);
    if (error) {
        return error;
    }
    const bool endless = !parser.is_done() && input.size() > most_reply_line_bytes;
    return endless ? boost::beast::http::error::header_limit : boost::system::error_code();
}

}  // namespace ome::net
