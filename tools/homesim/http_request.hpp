// The part of HTTP/1.1 that an observer speaks: a head, and a body with a Content-Length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

/// Percent signs and what follows them as the characters they stand for.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// The parameters of a query in their order, decoded; empty without `=` where there is none.
struct Parameter {
    std::string name;
    std::string value;
};
[[nodiscard]] std::vector<Parameter> query_parameters(std::string_view query);

}  // namespace ome::homesim
