#include "byte_stream.hpp"
#include "reply_input.hpp"
#include "trust_state.hpp"
#include <ome/net/clock.hpp>
#include <ome/net/listen_address.hpp>
#include <ome/net/local_connection.hpp>
#include <ome/net/operation.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ome::net {
namespace {

using boost::system::error_code;
using Endpoint = StreamProtocol::endpoint;
using Parser = ReplyParser;
using Resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;

constexpr std::size_t read_size = 65536;

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return lower;
}

std::string head_of(const LocalUrl& url, const LocalRequest& request) {
    ListenAddress host;
    host.host = url.host;
    host.port = url.port;
    std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\n",
                                   request.method,
                                   request.target,
                                   url.unix_path.empty() ? to_string(host) : "localhost",
                                   url.user_agent);
    if (!url.access.token.empty()) {
        head += "Authorization: Bearer " + url.access.token + "\r\n";
    }
    for (const auto& [name, value] : request.headers) {
        head += fmt::format("{}: {}\r\n", name, value);
    }
    if (!request.content_type.empty()) {
        head += "Content-Type: " + request.content_type + "\r\n";
        head += request.pieces ? "Transfer-Encoding: chunked\r\n"
                               : fmt::format("Content-Length: {}\r\n", request.body.size());
    }
    return head + "\r\n";
}

}  // namespace

struct LocalConnection::State {
    State(asio::io_context& context, LocalUrl to, std::shared_ptr<const Trust> trusted)
        : io(context), url(std::move(to)), trust(std::move(trusted)), deadlines(context) {}

    Awaitable<error_code> look_up(core::Duration timeout);
    Awaitable<error_code> connect(core::Duration timeout);
    Awaitable<error_code> secure(core::Duration timeout);
    Awaitable<error_code> write(std::string_view bytes, core::Duration timeout);
    Awaitable<error_code> send(const LocalRequest& request, core::Duration timeout);
    Awaitable<error_code> read_head(core::Duration timeout);
    Awaitable<error_code> read_more(core::Duration timeout);
    Awaitable<error_code> attempt(const LocalRequest& request, core::Duration timeout);

    void close() {
        stream.reset();
        parser.reset();
        input.clear();
    }
    /// Bytes behind an answer, and an interim one, would be taken for the answer to the next
    /// request.
    bool may_be_kept() const {
        return parser->is_done() && parser->keep_alive() && input.empty() &&
               parser->get().result_int() >= 200;
    }
    core::Problem problem(const error_code& error) const {
        const bool tls = stream != nullptr && !stream->problem().empty();
        return {fmt::format("cannot reach {}: {}", url.text, tls ? stream->problem() : text(error)),
                "url"};
    }
    static std::string text(const error_code& error) {
        return error == asio::error::timed_out ? "no answer in time" : error.message();
    }
    /// The time that a step may take: its own, and no more than what is left of the exchange.
    core::Duration step(core::Duration timeout) const {
        if (!deadline) {
            return timeout;
        }
        const core::Duration left = *deadline - read_clock().steady;
        return std::clamp(left, core::Duration::zero(), timeout);
    }
    error_code outcome(Operation& operation, error_code error) const {
        return operation.ended() == Ended::Running || !error ? error
                                                             : error_code(asio::error::timed_out);
    }

    asio::io_context& io;
    LocalUrl url;
    std::shared_ptr<const Trust> trust;
    Deadlines deadlines;
    std::vector<Endpoint> endpoints;
    std::unique_ptr<ByteStream> stream;
    std::unique_ptr<Parser> parser;
    std::string input;
    std::optional<core::SteadyTime> deadline;
};

Awaitable<error_code> LocalConnection::State::look_up(core::Duration timeout) {
    endpoints.clear();
    if (!url.unix_path.empty()) {
        endpoints.emplace_back(asio::local::stream_protocol::endpoint(url.unix_path));
        co_return error_code();
    }
    Operation operation(deadlines, step(timeout));
    Resolver resolver(io.get_executor());
    CancelOnEnd<Resolver> hook(operation, resolver);
    const std::string port = std::to_string(url.port);
    const auto [error, found] = co_await resolver.async_resolve(url.host, port, as_result);
    for (const auto& entry : found) {
        endpoints.emplace_back(entry.endpoint());
    }
    co_return outcome(operation, error);
}

Awaitable<error_code> LocalConnection::State::connect(core::Duration timeout) {
    error_code last = co_await look_up(timeout);
    for (const Endpoint& endpoint : endpoints) {
        stream = std::make_unique<ByteStream>(StreamSocket(io.get_executor()));
        Operation operation(deadlines, step(timeout));
        CancelOnEnd<ByteStream> hook(operation, *stream);
        std::tie(last) = co_await stream->socket().async_connect(endpoint, as_result);
        last = outcome(operation, last);
        if (!last) {
            break;
        }
    }
    if (!last && trust != nullptr) {
        last = co_await secure(timeout);
    }
    co_return last;
}

Awaitable<error_code> LocalConnection::State::secure(core::Duration timeout) {
    Operation operation(deadlines, step(timeout));
    CancelOnEnd<ByteStream> hook(operation, *stream);
    const std::string name = url.tls_name.empty() ? url.host : url.tls_name;
    const bool secured = co_await stream->connect_tls(*trust->state().common, name);
    co_return outcome(operation, secured ? error_code() : asio::error::connection_aborted);
}

Awaitable<error_code> LocalConnection::State::write(std::string_view bytes,
                                                    core::Duration timeout) {
    Operation operation(deadlines, step(timeout));
    CancelOnEnd<ByteStream> hook(operation, *stream);
    const ByteStream::Moved moved = co_await stream->write(bytes);
    co_return outcome(operation, moved.error);
}

Awaitable<error_code> LocalConnection::State::send(const LocalRequest& request,
                                                   core::Duration timeout) {
    std::string bytes = head_of(url, request);
    if (!request.pieces) {
        bytes += request.body;
        co_return co_await write(bytes, timeout);
    }
    const auto next_piece = request.pieces();
    bool last = false;
    while (!last) {
        const std::string piece = next_piece();
        last = piece.empty();
        bytes += last ? "0\r\n\r\n" : fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
        const error_code error = co_await write(bytes, timeout);
        if (error) {
            co_return error;
        }
        bytes.clear();
    }
    co_return error_code();
}

Awaitable<error_code> LocalConnection::State::read_more(core::Duration timeout) {
    const std::size_t before = input.size();
    input.resize(before + read_size);
    Operation operation(deadlines, step(timeout));
    CancelOnEnd<ByteStream> hook(operation, *stream);
    const auto [error, count] = co_await stream->read_some(input.data() + before, read_size);
    input.resize(before + count);
    if (error == asio::error::eof && parser->got_some()) {
        error_code ended;
        parser->put_eof(ended);
        co_return ended ? error_code(asio::error::connection_reset) : error_code();
    }
    if (error) {
        co_return outcome(operation, error);
    }
    co_return take_reply(*parser, input);
}

Awaitable<error_code> LocalConnection::State::read_head(core::Duration timeout) {
    parser = std::make_unique<Parser>();
    parser->body_limit(boost::none);
    parser->header_limit(most_reply_line_bytes);
    error_code error;
    while (!error && !parser->is_header_done()) {
        error = co_await read_more(timeout);
    }
    co_return error;
}

// A server that refuses a body may answer before it has read it all.
Awaitable<error_code> LocalConnection::State::attempt(const LocalRequest& request,
                                                      core::Duration timeout) {
    const error_code unsent = co_await send(request, timeout);
    if (unsent == asio::error::timed_out || unsent == asio::error::operation_aborted) {
        co_return unsent;
    }
    const error_code unread = co_await read_head(timeout);
    co_return unread&& unsent ? unsent : unread;
}

LocalConnection::LocalConnection(asio::io_context& io,
                                 LocalUrl url,
                                 std::shared_ptr<const Trust> trust)
    : state_(std::make_unique<State>(io, std::move(url), std::move(trust))) {}

LocalConnection::~LocalConnection() = default;

void LocalConnection::close() {
    state_->close();
}

void LocalConnection::cancel() {
    if (state_->stream != nullptr) {
        state_->stream->cancel();
    }
}

Awaitable<core::Result<LocalAnswer>> LocalConnection::open(LocalRequest request,
                                                           core::Duration timeout) {
    State& state = *state_;
    state.deadline = request.deadline;
    if (state.parser != nullptr && !state.may_be_kept()) {
        state.close();  // nobody wants the rest of the answer before
    }
    // A kept connection may have been closed by now; that is found out by using it.
    const bool kept = state.stream != nullptr;
    error_code error;
    if (kept) {
        error = co_await state.attempt(request, timeout);
    }
    const bool died =
        kept && error && error != asio::error::timed_out && error != asio::error::operation_aborted;
    if (!kept || died) {
        state.close();
        error = co_await state.connect(timeout);
        if (!error) {
            error = co_await state.attempt(request, timeout);
        }
    }
    if (error) {
        core::Problem problem = state.problem(error);
        state.close();
        co_return problem;
    }
    LocalAnswer answer;
    answer.status = state.parser->get().result_int();
    for (const auto& field : state.parser->get()) {
        std::string& value = answer.headers[lower_case(field.name_string())];
        value.append(value.empty() ? "" : ", ").append(field.value());
    }
    co_return answer;
}

Awaitable<core::Result<std::optional<std::string>>> LocalConnection::read(core::Duration timeout) {
    State& state = *state_;
    error_code error;
    while (!error && state.parser != nullptr && state.parser->get().body().empty() &&
           !state.parser->is_done()) {
        error = co_await state.read_more(timeout);
    }
    if (error || state.parser == nullptr) {
        core::Problem problem = state.problem(error ? error : asio::error::not_connected);
        state.close();
        co_return problem;
    }
    if (!state.parser->get().body().empty()) {
        co_return std::optional(std::exchange(state.parser->get().body(), {}));
    }
    if (!state.may_be_kept()) {
        state.close();
    }
    co_return std::optional<std::string>();
}

Awaitable<core::Result<LocalAnswer>> LocalConnection::call(LocalRequest request,
                                                           LocalLimits limits) {
    auto opened = co_await open(std::move(request), limits.timeout);
    if (!opened) {
        co_return opened;
    }
    LocalAnswer answer = *std::move(opened);
    const std::uint64_t declared = state_->parser->content_length().value_or(0);
    while (true) {
        if (std::max<std::uint64_t>(declared, answer.body.size()) > limits.max_body_bytes) {
            state_->close();
            co_return core::Problem{
                fmt::format("cannot understand {}: the answer is larger than {} bytes",
                            state_->url.text,
                            limits.max_body_bytes),
                "url"};
        }
        auto piece = co_await read(limits.timeout);
        if (!piece) {
            co_return piece.error();
        }
        if (!*piece) {
            co_return answer;
        }
        answer.body += **piece;
    }
}

}  // namespace ome::net
