// The body of an HTTP/1 response, in whatever framing it comes. Pure: bytes in, bytes out, in
// place.
#pragma once

#include "response_head.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ome::net {

class BodyDecoder {
public:
    /// A body that is complete from the start.
    BodyDecoder() = default;
    explicit BodyDecoder(const ResponseHead& head);

    struct Step {
        std::size_t consumed = 0;  ///< bytes of the input that are done with
        std::size_t produced = 0;  ///< bytes of the body, now at the start of the input
    };

    /// Takes what it can of `data`; what is left over belongs to what follows the body. To be
    /// called again with the rest and more, until complete() or failed().
    [[nodiscard]] Step decode(char* data, std::size_t size);

    /// The connection has ended: the end of a body without length or chunks, a failure otherwise.
    void end_of_input();

    [[nodiscard]] bool complete() const { return state_ == State::Complete; }
    [[nodiscard]] bool failed() const { return state_ == State::Failed; }
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    enum class State : std::uint8_t {
        Complete,
        Failed,
        Raw,         // a body with a length: `remaining_` bytes to come
        UntilClose,  //
        ChunkSize,   // at least one digit is due
        ChunkMore,   // further digits, or what ends them
        Extension,
        SizeEnd,  // LF
        ChunkData,
        DataEnd,  // CR
        DataEnd2,
        TrailerStart,
        Trailer,
        TrailerEnd,  // LF of the last line
    };

    [[nodiscard]] Step take_raw(std::size_t size, State then);
    void take_framing(char c);
    void take_size_digit(char c);
    void after_size();
    void expect(char c, char wanted, State then);
    void fail(std::string problem);
    void count_line_byte();

    State state_ = State::Complete;
    std::uint64_t remaining_ = 0;
    std::size_t line_ = 0;  // digits of the size, bytes of the extension, or of all trailers
    std::size_t idle_ = 0;  // bytes of all extensions and trailers
    std::string problem_ = {};
};

}  // namespace ome::net
