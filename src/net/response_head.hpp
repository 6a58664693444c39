// The head of an HTTP/1 response: status line and headers, as far as a client of observations needs
// them (contract/observer.md 5, design.md D5 and D13). Pure: bytes in, values out.
//
// By hand and not with Beast's parser, which refuses what homes do send (no reason phrase, a bare
// LF as line end) and lets pass what must not (field cases F05, F14).
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ome::net {

/// How the end of a body is told.
enum class Framing : std::uint8_t { None, Length, Chunked, UntilClose };

struct ResponseHead {
    std::int32_t status = 0;  ///< 100 to 999
    bool keep_alive = false;  ///< the peer means to go on after this response
    Framing framing = Framing::None;
    std::uint64_t length = 0;           ///< for Framing::Length
    std::string content_encoding = {};  ///< other than `identity`, in printable ASCII
    std::optional<core::WallTime> date = {};
    /// `Keep-Alive: timeout=`: how long the peer keeps an idle connection.
    std::optional<std::chrono::seconds> idle_timeout = {};

    /// 1xx other than 101: another head follows.
    [[nodiscard]] bool interim() const { return status < 200 && status != 101; }
};

/// False as soon as the first bytes cannot begin an HTTP/1 response: there is no point in waiting
/// for more.
[[nodiscard]] bool may_be_response(std::string_view first_bytes);

/// The size of the head at the start of `text`, blank line included; absent while it is incomplete.
/// `searched`: how far an earlier call has looked; updated.
[[nodiscard]] std::optional<std::size_t> head_size(std::string_view text, std::size_t& searched);

/// `text`: a head as measured by head_size(). A `head_request` has no body whatever the headers
/// say.
[[nodiscard]] core::Result<ResponseHead> parse_head(std::string_view text, bool head_request);

}  // namespace ome::net
