// The head of an answer as bytes. Pure.
#pragma once

#include <ome/net/http_server.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ome::net {

enum class Framing : std::uint8_t {
    Length,   ///< Content-Length
    Chunked,  ///< HTTP/1.1, length unknown
    ToClose,  ///< HTTP/1.0, length unknown
    None,     ///< 204, 304
};

struct AnswerShape {
    Framing framing = Framing::Length;
    std::size_t length = 0;
    bool keep_alive = true;
};

/// Line breaks and other control characters in a value become spaces: a value that carries a peer's
/// text must not be able to start a header of its own.
[[nodiscard]] std::string answer_head(const ServerResponse& response,
                                      const AnswerShape& shape,
                                      std::int64_t unix_seconds);

/// The `Date` form of RFC 9110 5.6.7.
[[nodiscard]] std::string http_date(std::int64_t unix_seconds);

/// `5\r\n` before and `\r\n` behind a piece.
[[nodiscard]] std::string chunk_head(std::size_t bytes);

}  // namespace ome::net
