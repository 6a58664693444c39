#include "http_server_parser.hpp"

#include "parser_feed.hpp"
#include <ome/core/text.hpp>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ome::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

constexpr std::size_t longest_shown = 100;  // of what a client sent

std::string lower(string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return out;
}

RequestFault name_fault(error_code error,
                        std::size_t max_head_bytes,
                        std::uint64_t max_body_bytes) {
    if (error == http::error::header_limit) {
        return {431, fmt::format("the request head is larger than {} bytes", max_head_bytes)};
    }
    if (error == http::error::body_limit) {
        return {413, fmt::format("the request body is larger than {} bytes", max_body_bytes)};
    }
    if (error == http::error::bad_version) {
        return {505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
    }
    return {400, fmt::format("malformed request: {}", error.message())};
}

// Beast looks for CR behind the version and calls the version bad.
bool ends_with_bare_line_feed(std::string_view head) {
    const std::string_view line = head.substr(0, head.find('\n'));
    return line.ends_with(" HTTP/1.1") || line.ends_with(" HTTP/1.0");
}

}  // namespace

class RequestParser::Impl : public http::basic_parser<true> {
public:
    Impl(std::size_t max_head_bytes, std::uint64_t max_body_bytes)
        : max_head_bytes_(max_head_bytes),
          max_body_bytes_(max_body_bytes),
          framing_(max_head_bytes) {
        header_limit(static_cast<std::uint32_t>(max_head_bytes));
        body_limit(max_body_bytes);
        eager(false);  // one element a call: nothing behind the head is touched before it is judged
    }

    std::size_t feed(std::string_view bytes) {
        std::size_t used = 0;
        const bool in_body = is_header_done();
        while (!fault_ && !is_done() && used < bytes.size() && is_header_done() == in_body) {
            if (must_wait(*this, bytes.substr(used))) {
                return used;
            }
            error_code error;
            const std::size_t body_before = body_.size();
            const std::size_t taken = put({bytes.data() + used, bytes.size() - used}, error);
            used += taken;
            if (in_body && !framing_.count(taken, body_.size() - body_before)) {
                fault_ = name_fault(http::error::header_limit, max_head_bytes_, max_body_bytes_);
                return used;
            }
            if (error == http::error::need_more) {
                refuse_endless(bytes.size() - used);
                return used;
            }
            if (error == http::error::bad_version && ends_with_bare_line_feed(bytes)) {
                fault_ = RequestFault{400, "malformed request: lines must end with CR LF"};
            } else if (error && !fault_) {
                fault_ = name_fault(error, max_head_bytes_, max_body_bytes_);
            }
        }
        return used;
    }

    RequestHead head_;
    std::string body_;
    std::optional<RequestFault> fault_;

private:
    // A chunk's extensions and trailers have no limit in Beast; what it cannot use up stays with
    // the caller, whose buffer must not grow for it.
    void refuse_endless(std::size_t unused) {
        if (unused >= max_head_bytes_) {
            fault_ = name_fault(http::error::header_limit, max_head_bytes_, max_body_bytes_);
        }
    }

    void fail(unsigned status, std::string message, error_code& error) {
        fault_ = RequestFault{status, std::move(message)};
        error = http::error::bad_value;  // stops the parser; our fault is the one that is told
    }

    void on_request_impl(
        http::verb, string_view method, string_view target, int version, error_code&) override {
        head_.method = std::string(method);
        head_.target = std::string(target);
        head_.http10 = version == 10;
    }

    void on_response_impl(int, string_view, int, error_code&) override {}

    void on_field_impl(http::field field,
                       string_view name,
                       string_view value,
                       error_code& error) override {
        if (is_header_done()) {
            return;  // a trailer changes nothing
        }
        if (field == http::field::transfer_encoding && lower(value) != "chunked") {
            const std::string shown =
                core::go_quote(core::shorten_bytes(std::string(value), longest_shown));
            return fail(501, fmt::format("transfer coding {} is not implemented", shown), error);
        }
        head_.hosts += field == http::field::host ? 1 : 0;
        auto [member, added] = head_.headers.try_emplace(lower(name), value);
        if (!added) {
            member->second.append(", ").append(value);
        }
    }

    void on_header_impl(error_code&) override { head_.keep_alive = keep_alive() && !head_.http10; }

    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}

    std::size_t on_body_impl(string_view body, error_code&) override {
        body_.append(body);
        return body.size();
    }

    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}

    std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
        body_.append(body);
        return body.size();
    }

    void on_finish_impl(error_code&) override {}

    std::size_t max_head_bytes_;
    std::uint64_t max_body_bytes_;
    FramingBound framing_;
};

RequestParser::RequestParser(std::size_t max_head_bytes, std::uint64_t max_body_bytes)
    : impl_(std::make_unique<Impl>(max_head_bytes, max_body_bytes)) {}
RequestParser::~RequestParser() = default;

std::size_t RequestParser::feed(std::string_view bytes) {
    return impl_->feed(bytes);
}

bool RequestParser::head_complete() const {
    return impl_->is_header_done();
}

bool RequestParser::done() const {
    return impl_->is_done();
}

const std::optional<RequestFault>& RequestParser::fault() const {
    return impl_->fault_;
}

RequestHead& RequestParser::head() {
    return impl_->head_;
}

std::string RequestParser::take_body() {
    return std::exchange(impl_->body_, {});
}

}  // namespace ome::net
