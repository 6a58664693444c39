// The part of HTTP/1.1 that an observer speaks: a head, and a body with a Content-Length.
#pragma once

#include <cstddef>
#include <string_view>

namespace ome::homesim {

inline constexpr std::size_t most_head_bytes = 16384;
inline constexpr std::size_t most_body_bytes = 1 << 20;

struct Request {
    std::string_view method;
    std::string_view path;   ///< without the query
    std::string_view query;  ///< without the `?`
    std::string_view body;
    bool close = false;     ///< the client wants the connection closed after the answer
    std::size_t bytes = 0;  ///< head and body
};

enum class Parse : std::uint8_t { Complete, Incomplete, Malformed };

/// Views into `bytes`. Malformed: not a request that we understand; too large counts as such.
[[nodiscard]] Parse parse_request(std::string_view bytes, Request& request);

/// `/h/<home>/...`: the home, and the path behind it with its slash. False for other paths.
[[nodiscard]] bool split_home_path(std::string_view path,
                                   std::string_view& home,
                                   std::string_view& rest);

/// The value of a query parameter, not decoded; empty when absent.
[[nodiscard]] std::string_view query_value(std::string_view query, std::string_view name);

}  // namespace ome::homesim
