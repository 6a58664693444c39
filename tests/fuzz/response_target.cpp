#include "../../src/net/body_decoder.hpp"
#include "../../src/net/response_head.hpp"
#include "require.hpp"
#include "targets.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ome::fuzz {
namespace {

struct Decoded {
    std::string body;
    std::size_t consumed = 0;
    bool complete = false;
    bool failed = false;
    std::string problem;

    friend bool operator==(const Decoded&, const Decoded&) = default;
};

/// In pieces of `piece` bytes, each in a buffer of its own so that a sanitizer sees its ends.
Decoded decode(const net::ResponseHead& head, std::string_view bytes, std::size_t piece) {
    net::BodyDecoder decoder(head);
    Decoded decoded;
    while (decoded.consumed < bytes.size() && !decoder.complete() && !decoder.failed()) {
        const std::string_view next = bytes.substr(decoded.consumed, piece);
        std::vector<char> buffer(next.begin(), next.end());
        const net::BodyDecoder::Step step = decoder.decode(buffer.data(), buffer.size());
        require(step.consumed <= buffer.size() && step.produced <= step.consumed,
                "a body is no longer than its bytes");
        require(step.consumed > 0 || decoder.complete() || decoder.failed(),
                "a decoder goes on while there is input");
        decoded.body.append(buffer.data(), step.produced);
        decoded.consumed += step.consumed;
    }
    if (!decoder.complete() && !decoder.failed()) {
        decoder.end_of_input();
    }
    decoded.complete = decoder.complete();
    decoded.failed = decoder.failed();
    decoded.problem = decoder.problem();
    return decoded;
}

void check_body(const net::ResponseHead& head, std::string_view bytes) {
    const Decoded whole = decode(head, bytes, bytes.size());
    require(whole.complete != whole.failed, "a body ends well or fails");
    require(decode(head, bytes, 1) == whole, "where a body is cut does not matter");
    require(decode(head, bytes, 7) == whole, "where a body is cut does not matter");
    if (whole.failed) {
        require_readable(whole.problem);
        require(whole.problem.size() <= 1024, "a problem is bounded");
    }
    require(head.framing != net::Framing::Length || whole.body.size() <= head.length,
            "a body is no longer than announced");
}

std::optional<std::size_t> size_in_pieces(std::string_view text) {
    std::size_t searched = 0;
    for (std::size_t size = 0; size <= text.size(); ++size) {
        if (const auto found = net::head_size(text.substr(0, size), searched)) {
            return found;
        }
    }
    return std::nullopt;
}

void check_begin(std::string_view head) {
    for (std::size_t size = 0; size <= std::min<std::size_t>(head.size(), 32); ++size) {
        require(net::may_be_response(head.substr(0, size)),
                "what turns out to be a response could be one all along");
    }
}

void check_head(std::string_view text, bool head_request, std::string_view rest) {
    const core::Result<net::ResponseHead> head = net::parse_head(text, head_request);
    if (!head) {
        require_readable(head.error().message);
        return require(head.error().message.size() <= 1024, "a problem is bounded");
    }
    require(head->status >= 100 && head->status <= 999, "a status has three digits");
    require(!head_request || head->framing == net::Framing::None, "a HEAD's answer has no body");
    require(head->content_encoding.size() <= 1024, "an encoding is bounded");
    check_begin(text);
    check_body(*head, rest);
}

}  // namespace

void check_response(std::string_view input) {
    std::size_t searched = 0;
    const std::optional<std::size_t> size = net::head_size(input, searched);
    require(size == size_in_pieces(input), "where a head is cut does not matter");
    if (!size) {
        (void)net::may_be_response(input);
        return;
    }
    require(*size <= input.size(), "a head ends within its bytes");
    for (const bool head_request : {false, true}) {
        check_head(input.substr(0, *size), head_request, input.substr(*size));
    }
}

}  // namespace ome::fuzz
