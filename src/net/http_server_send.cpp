// The sending half of a session.
#include "http_server_session.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <array>
#include <ctime>

namespace ome::net {
namespace {

bool has_no_body(unsigned status) {
    return status < 200 || status == 204 || status == 304;
}

std::int64_t unix_now() {
    return static_cast<std::int64_t>(std::time(nullptr));
}

}  // namespace

AnswerShape Session::shape(Framing framing, std::size_t length) const {
    AnswerShape result;
    result.framing = framing;
    result.length = length;
    result.keep_alive = keep_alive_;
    return result;
}

// A fault in the middle of a request leaves no way to tell where the next one begins.
Awaitable<void> Session::refuse(unsigned status, std::string message) {
    keep_alive_ = false;
    ServerResponse response = shared_->problem_answer(status, std::move(message));
    co_await send(std::move(response));
}

Awaitable<void> Session::send(ServerResponse response) {
    if (body_broken_ || expects_continue_) {
        keep_alive_ = false;
    }
    if (std::holds_alternative<std::string>(response.body)) {
        co_await send_whole(std::move(response));
    } else {
        co_await send_stream(std::move(response));
    }
}

Awaitable<void> Session::send_whole(ServerResponse response) {
    const std::string& body = std::get<std::string>(response.body);
    const bool empty = has_no_body(response.status);
    const Framing framing = empty ? Framing::None : Framing::Length;
    std::string bytes = answer_head(response, shape(framing, body.size()), unix_now());
    if (!head_only_ && !empty) {
        bytes += body;
    }
    keep_alive_ = co_await write(std::move(bytes)) && keep_alive_;
}

Awaitable<void> Session::send_stream(ServerResponse response) {
    const bool chunked = !parser_->head().http10;
    // From here on a read is only for noticing that the client leaves.
    keep_alive_ = co_await drain_body() && keep_alive_ && chunked;
    const Framing framing = chunked ? Framing::Chunked : Framing::ToClose;
    std::string head = answer_head(response, shape(framing, 0), unix_now());
    if (!co_await write(std::move(head))) {
        keep_alive_ = false;
        co_return;
    }
    if (head_only_) {
        co_return;
    }
    using namespace asio::experimental::awaitable_operators;
    streamed_whole_ = false;
    left_ = false;
    auto body = std::get<std::shared_ptr<ResponseBody>>(std::move(response.body));
    co_await (pump(std::move(body), chunked) || notice_leaving());
    // Both may have ended at once. The end of the stream is told only once: another read would
    // wait.
    keep_alive_ = keep_alive_ && streamed_whole_ && !left_;
}

Awaitable<void> Session::pump(std::shared_ptr<ResponseBody> body, bool chunked) {
    while (auto piece = co_await pull(body)) {
        if (!piece->empty() && !co_await write_piece(std::move(*piece), chunked)) {
            co_return;
        }
    }
    streamed_whole_ = streamed_whole_ && (!chunked || co_await write("0\r\n\r\n"));
}

// Absent at the end, and also when next() threw: then the last chunk is missing, and so the client
// can tell.
Awaitable<std::optional<std::string>> Session::pull(std::shared_ptr<ResponseBody> body) {
    std::string bug;
    try {
        auto piece = co_await body->next();
        streamed_whole_ = !piece.has_value();
        co_return piece;
    } catch (const boost::system::system_error& error) {
        if (error.code() == asio::error::operation_aborted) {
            throw;
        }
        bug = error.what();
    } catch (const std::exception& error) {
        bug = error.what();
    }
    report_fault(fmt::format("a streamed answer threw: {}", bug));
    co_return std::nullopt;
}

// Returns when the client is gone. What it sends meanwhile is its next request: kept, but not
// without bound; beyond that only a reset is noticed.
Awaitable<void> Session::notice_leaving() {
    std::array<char, 4096> bytes{};
    while (input_.size() <= shared_->settings.max_head_bytes) {
        const ByteStream::Moved moved = co_await stream_.read_some(bytes.data(), bytes.size());
        if (moved.error) {
            left_ = moved.error != asio::error::operation_aborted;
            co_return;
        }
        input_.append(bytes.data(), moved.bytes);
    }
    std::ignore = co_await stream_.socket().async_wait(asio::socket_base::wait_error, as_result);
}

Awaitable<bool> Session::write_piece(std::string piece, bool chunked) {
    if (chunked) {
        piece.insert(0, chunk_head(piece.size()));
        piece.append("\r\n");
    }
    co_return co_await write(std::move(piece));
}

Awaitable<bool> Session::write(std::string bytes) {
    arm(in(shared_->settings.write_timeout));
    const ByteStream::Moved moved = co_await stream_.write(bytes);
    disarm();
    if (timed_out_) {
        stream_.close();  // it reads nothing: there is no use in lingering
    }
    co_return !moved.error;
}

}  // namespace ome::net
