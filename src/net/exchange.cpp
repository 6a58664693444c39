#include "exchange.hpp"

#include "error_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace ome::net {
namespace {

constexpr std::size_t first_buffer = std::size_t{16} * 1024;
constexpr std::size_t least_room = std::size_t{4} * 1024;
constexpr char tls_alert = 0x15;

core::SteadyTime now() {
    return std::chrono::steady_clock::now();
}

// RFC 9113: a server's first frame is SETTINGS, type 4, behind a length of three bytes.
bool is_http2(std::string_view first_bytes) {
    return first_bytes.size() >= 4 && first_bytes[0] == '\0' && first_bytes[3] == '\x04';
}

bool is_text(std::string_view line) {
    return std::all_of(
        line.begin(), line.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; });
}

// Binary data is not quoted: it tells nobody anything, and is different each time.
std::string not_http(std::string_view first_bytes) {
    if (first_bytes.starts_with(tls_alert)) {
        return "peer speaks TLS on this port";
    }
    if (is_http2(first_bytes)) {
        return "peer speaks HTTP/2 only on this port";
    }
    const std::string_view line = first_bytes.substr(0, first_bytes.find_first_of("\r\n"));
    return is_text(line) ? "malformed response: status line " + quoted(line)
                         : "malformed response: binary data in place of a status line";
}

}  // namespace

Exchange::Exchange(Connection& connection,
                   std::string_view request,
                   bool head_request,
                   std::vector<char>& buffer,
                   std::size_t most_body)
    : connection_(connection),
      unsent_(request),
      buffer_(buffer),
      most_buffer_(most_head_bytes + most_body + least_room + buffer_padding),
      head_request_(head_request) {}

std::string_view Exchange::raw() const {
    return {buffer_.data() + raw_begin_, raw_end_ - raw_begin_};
}

std::string_view Exchange::body() const {
    return {buffer_.data() + body_begin_, body_end_ - body_begin_};
}

void Exchange::drop_body() {
    body_begin_ = body_end_;
}

bool Exchange::reusable() const {
    return have_head_ && complete() && head_.keep_alive && raw().empty();
}

bool Exchange::fail(std::string problem) {
    failed_ = true;
    problem_ = std::move(problem);
    return false;
}

Exchange::Step Exchange::failed_with(std::string problem) {
    std::ignore = fail(std::move(problem));
    return Step::Failed;
}

Exchange::Step Exchange::send() {
    switch (connection_.write(unsent_)) {
        case WriteEnd::Blocked:
            return Step::Blocked;
        case WriteEnd::Failed:
            return failed_with(connection_.problem());
        case WriteEnd::Done:
            break;
    }
    sent_ = true;
    sent_at_ = now();
    return Step::Done;
}

Exchange::Step Exchange::advance_to_head() {
    if (!sent_) {
        if (const Step step = send(); step != Step::Done) {
            return step;
        }
    }
    while (!have_head_) {
        const ReadEnd end = fill();
        if (end == ReadEnd::Blocked) {
            return Step::Blocked;
        }
        if (end == ReadEnd::Failed) {
            return failed_with(connection_.problem());
        }
        if (end != ReadEnd::More) {
            return failed_with(received_
                                   ? "connection closed by peer in the middle of the response head"
                                   : "connection closed by peer before a response");
        }
        if (!take_heads()) {
            return Step::Failed;
        }
    }
    decode_received();
    return decoder_.failed() ? failed_with(decoder_.problem()) : Step::Done;
}

Exchange::Step Exchange::advance_body() {
    const ReadEnd end = fill();
    if (end == ReadEnd::Blocked) {
        return Step::Blocked;
    }
    if (end == ReadEnd::Failed) {
        return failed_with(connection_.problem());
    }
    decode_received();
    if (end == ReadEnd::End) {
        decoder_.end_of_input();
    } else if (end == ReadEnd::Truncated && !complete()) {
        return failed_with("unexpected EOF");
    }
    return decoder_.failed() ? failed_with(decoder_.problem()) : Step::Done;
}

void Exchange::decode_received() {
    const BodyDecoder::Step step = decoder_.decode(buffer_.data() + raw_begin_, raw().size());
    if (body_end_ != raw_begin_ && step.produced != 0) {
        std::memmove(buffer_.data() + body_end_, buffer_.data() + raw_begin_, step.produced);
    }
    body_end_ += step.produced;
    raw_begin_ += step.consumed;
}

ReadEnd Exchange::fill() {
    make_room();
    const ReadResult result = connection_.read(buffer_.data() + raw_end_, room());
    raw_end_ += result.bytes;
    received_ = received_ || result.bytes != 0;
    return result.end;
}

void Exchange::make_room() {
    if (buffer_.size() < first_buffer) {
        buffer_.resize(first_buffer);
    }
    if (raw_begin_ == raw_end_) {
        raw_begin_ = raw_end_ = body_end_;
    }
    if (body_begin_ == raw_end_) {
        body_begin_ = body_end_ = raw_begin_ = raw_end_ = 0;
    }
    if (room() < least_room) {
        compact();
    }
    if (room() < least_room) {
        buffer_.resize(std::min(buffer_.size() * 2, std::max(most_buffer_, buffer_.size())));
    }
}

std::size_t Exchange::room() const {
    return buffer_.size() - buffer_padding - raw_end_;
}

void Exchange::compact() {
    const std::size_t body_size = body().size();
    const std::size_t raw_size = raw().size();
    std::memmove(buffer_.data(), body().data(), body_size);
    std::memmove(buffer_.data() + body_size, raw().data(), raw_size);
    body_begin_ = 0;
    body_end_ = raw_begin_ = body_size;
    raw_end_ = body_size + raw_size;
}

bool Exchange::take_heads() {
    while (!have_head_) {
        if (!may_be_response(raw())) {
            return fail(not_http(raw()));
        }
        const std::optional<std::size_t> size = head_size(raw(), searched_);
        if (head_bytes_ + size.value_or(raw().size()) > most_head_bytes) {
            return fail(fmt::format("response head exceeds {} bytes", most_head_bytes));
        }
        if (!size) {
            return true;
        }
        if (!take_head(*size)) {
            return false;
        }
    }
    return true;
}

bool Exchange::take_head(std::size_t size) {
    core::Result<ResponseHead> head = parse_head(raw().substr(0, size), head_request_);
    if (!head) {
        return fail(std::move(head.error().message));
    }
    raw_begin_ += size;
    head_bytes_ += size;
    body_begin_ = body_end_ = raw_begin_;
    searched_ = 0;
    if (head->interim()) {
        return ++interim_ <= most_interim_responses || fail("too many interim responses");
    }
    head_ = *std::move(head);
    have_head_ = true;
    first_byte_at_ = now();
    decoder_ = BodyDecoder(head_);
    return true;
}

}  // namespace ome::net
