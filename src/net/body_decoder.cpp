#include "body_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace ome::net {
namespace {

// An extension or a trailer means nothing to us, so it may not be long.
constexpr std::size_t longest_line = 8192;
// Of all extensions together: one with each byte of a body would be 500 MB to look at.
constexpr std::size_t most_idle_bytes = 65536;
// Zeros without end would be a size, too, and keep the reactor busy until the deadline.
constexpr std::size_t most_digits = 16;
constexpr std::uint64_t most_before_digit = std::numeric_limits<std::int64_t>::max() / 16 - 1;

int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

BodyDecoder::BodyDecoder(const ResponseHead& head) : remaining_(head.length) {
    switch (head.framing) {
        case Framing::None:
            break;
        case Framing::Length:
            state_ = remaining_ == 0 ? State::Complete : State::Raw;
            break;
        case Framing::Chunked:
            state_ = State::ChunkSize;
            remaining_ = 0;
            break;
        case Framing::UntilClose:
            state_ = State::UntilClose;
            break;
    }
}

BodyDecoder::Step BodyDecoder::decode(char* data, std::size_t size) {
    Step done;
    while (done.consumed < size && !complete() && !failed()) {
        const std::size_t left = size - done.consumed;
        Step step;
        if (state_ == State::UntilClose) {
            step = {left, left};
        } else if (state_ == State::Raw) {
            step = take_raw(left, State::Complete);
        } else if (state_ == State::ChunkData) {
            step = take_raw(left, State::DataEnd);
        } else {
            take_framing(data[done.consumed]);
            step = {1, 0};
        }
        if (step.produced != 0 && done.produced != done.consumed) {
            std::memmove(data + done.produced, data + done.consumed, step.produced);
        }
        done.consumed += step.consumed;
        done.produced += step.produced;
    }
    return done;
}

void BodyDecoder::end_of_input() {
    if (state_ == State::UntilClose) {
        state_ = State::Complete;
    } else if (!complete() && !failed()) {
        fail("unexpected EOF");
    }
}

BodyDecoder::Step BodyDecoder::take_raw(std::size_t size, State then) {
    const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(size, remaining_));
    remaining_ -= taken;
    if (remaining_ == 0) {
        state_ = then;
    }
    return {taken, taken};
}

void BodyDecoder::take_framing(char c) {
    switch (state_) {
        case State::ChunkSize:
            return take_size_digit(c);
        case State::ChunkMore:
            if (hex_value(c) >= 0) {
                return take_size_digit(c);
            }
            if (c == ';' || c == ' ' || c == '\t') {
                state_ = State::Extension;
                line_ = 0;
                return;
            }
            return expect(c, '\r', State::SizeEnd);
        case State::Extension:
            if (c == '\r') {
                state_ = State::SizeEnd;
                return;
            }
            return c == '\n' ? fail("malformed chunk extension") : count_line_byte();
        case State::SizeEnd:
            return c == '\n' ? after_size() : fail("malformed chunk size");
        case State::DataEnd:
            return expect(c, '\r', State::DataEnd2);
        case State::DataEnd2:
            return expect(c, '\n', State::ChunkSize);
        case State::TrailerStart:
            state_ = c == '\r' ? State::TrailerEnd : c == '\n' ? State::Complete : State::Trailer;
            return count_line_byte();
        case State::Trailer:
            state_ = c == '\n' ? State::TrailerStart : State::Trailer;
            return count_line_byte();
        case State::TrailerEnd:
            return expect(c, '\n', State::Complete);
        default:
            return;
    }
}

void BodyDecoder::take_size_digit(char c) {
    const int value = hex_value(c);
    if (value < 0 || remaining_ > most_before_digit || ++line_ > most_digits) {
        return fail("malformed chunk size");
    }
    remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(value);
    state_ = State::ChunkMore;
}

void BodyDecoder::after_size() {
    state_ = remaining_ == 0 ? State::TrailerStart : State::ChunkData;
    line_ = 0;
}

void BodyDecoder::expect(char c, char wanted, State then) {
    if (c != wanted) {
        return fail(state_ == State::ChunkMore ? "malformed chunk size" : "malformed chunk");
    }
    state_ = then;
}

void BodyDecoder::count_line_byte() {
    if (++line_ > longest_line || ++idle_ > most_idle_bytes) {
        fail("chunk extension or trailers are too long");
    }
}

void BodyDecoder::fail(std::string problem) {
    state_ = State::Failed;
    problem_ = std::move(problem);
}

}  // namespace ome::net
