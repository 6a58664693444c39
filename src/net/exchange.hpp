// One HTTP/1.1 request and its response on a connection: a head, then a body that is pulled piece
// by piece, so that whoever does not read holds the peer back. It never waits: whoever drives it
// does, so that a fetch needs one coroutine and not one for each layer (of 11 frames a poll, 9).
#pragma once

#include "body_decoder.hpp"
#include "connection.hpp"
#include "response_head.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::net {

/// Heads of one response, interim ones included (design.md D5).
inline constexpr std::size_t most_head_bytes = std::size_t{128} * 1024;
inline constexpr int most_interim_responses = 32;

/// Readable bytes that stay behind whatever is in the buffer (simdjson parses in place).
inline constexpr std::size_t buffer_padding = 64;

class Exchange {
public:
    /// `request` must outlive it. A `head_request` has an answer without a body. `buffer` grows as
    /// the response needs, up to the longest head and `most_body`: a caller that keeps more than
    /// that in body() must stop reading, one that drops what it took needs no more.
    Exchange(Connection& connection,
             std::string_view request,
             bool head_request,
             std::vector<char>& buffer,
             std::size_t most_body);

    enum class Step : std::uint8_t {
        Done,
        Blocked,  ///< wait for the connection, then call again
        Failed,   ///< see problem()
    };

    /// Sends the request and reads up to the end of the final head, as far as it gets without
    /// waiting. What came of the body with the head is in body().
    [[nodiscard]] Step advance_to_head();

    /// Appends to body() what comes next; complete() may turn true.
    [[nodiscard]] Step advance_body();

    /// The wait for the connection was broken off.
    [[nodiscard]] Step break_off() {
        failed_ = true;
        return Step::Failed;
    }

    [[nodiscard]] std::string_view body() const;
    void drop_body();
    [[nodiscard]] std::size_t body_offset() const { return body_begin_; }

    [[nodiscard]] const ResponseHead& head() const { return head_; }
    [[nodiscard]] bool has_head() const { return have_head_; }
    [[nodiscard]] bool complete() const { return decoder_.complete(); }
    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] const std::string& problem() const { return problem_; }

    /// Nothing of a response has come: on a reused connection it may have died before.
    [[nodiscard]] bool untouched() const { return !received_; }

    /// Everything arrived, nothing more than that, and the peer means to go on.
    [[nodiscard]] bool reusable() const;

    /// Bytes arrived that belong to nothing that was asked for.
    [[nodiscard]] bool has_surplus() const { return !raw().empty(); }

    /// When the request was on its way, and when the first byte of the final head came.
    [[nodiscard]] core::SteadyTime sent_at() const { return sent_at_; }
    [[nodiscard]] std::optional<core::SteadyTime> first_byte_at() const { return first_byte_at_; }

private:
    [[nodiscard]] Step send();
    [[nodiscard]] ReadEnd fill();
    void decode_received();
    [[nodiscard]] bool take_heads();
    [[nodiscard]] bool take_head(std::size_t size);
    void make_room();
    void compact();
    [[nodiscard]] std::size_t room() const;
    [[nodiscard]] bool fail(std::string problem);
    [[nodiscard]] Step failed_with(std::string problem);
    [[nodiscard]] std::string_view raw() const;

    Connection& connection_;
    std::string_view unsent_;
    std::vector<char>& buffer_;
    std::size_t most_buffer_;
    // buffer_: [dropped | body | raw bytes not decoded yet | free | padding]
    std::size_t body_begin_ = 0;
    std::size_t body_end_ = 0;
    std::size_t raw_begin_ = 0;
    std::size_t raw_end_ = 0;
    std::size_t searched_ = 0;    // of raw(), for the end of a head
    std::size_t head_bytes_ = 0;  // of heads that are done with
    int interim_ = 0;
    bool head_request_;
    bool sent_ = false;
    bool received_ = false;
    bool have_head_ = false;
    bool failed_ = false;
    ResponseHead head_;
    BodyDecoder decoder_;
    std::string problem_;
    core::SteadyTime sent_at_{};
    std::optional<core::SteadyTime> first_byte_at_;
};

}  // namespace ome::net
